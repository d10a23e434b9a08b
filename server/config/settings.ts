import { join, resolve } from 'node:path'
import { StartError } from '../base/start-error.ts'
import { type SettingName, settingSchema, type SettingValues } from './setting-schema.ts'

export type Environment = Record<string, string | undefined>

type SharedName = 'databaseUrl' | 'redisUrl' | 'redisDurability' | 'redisWaitReplicas'

/** Settings of the storage that all nodes of a cluster share. */
export type SharedSettings = { [Name in SharedName]: NonNullable<SettingValues[Name]> }

export interface Settings extends Omit<SettingValues, SharedName> {
  /** Shared storage; `null` for a single server, which stores everything in `dataDir`. */
  shared: SharedSettings | null
}

/** Reads the settings. Throws a `StartError` that names all invalid settings, one per line. */
export function readSettings(env: Environment): Settings {
  const problems: string[] = []
  const addProblem = (name: SettingName, problem: string) => problems.push(`${name}: ${problem}`)
  const { databaseUrl, redisUrl, redisDurability, redisWaitReplicas, ...values } = readValues(env, addProblem)

  const isSet = (name: SettingName) => textOf(env, name) !== undefined
  if (values.metricsPort === values.port)
    addProblem('METRICS_PORT', `${values.port} is already the PORT; set another port`)
  if (databaseUrl !== undefined && !isSet('REDIS_URL')) addProblem('DATABASE_URL', needs('REDIS_URL'))
  if (redisUrl !== undefined && !isSet('DATABASE_URL')) addProblem('REDIS_URL', needs('DATABASE_URL'))
  for (const name of ['REDIS_DURABILITY', 'REDIS_WAIT_REPLICAS'] as const) {
    if (isSet(name) && !isSet('REDIS_URL'))
      addProblem(name, 'has no effect without REDIS_URL and DATABASE_URL; set both, or remove this setting')
  }
  if (problems.length > 0) throw new StartError(problems.join('\n'))

  const isShared = databaseUrl !== undefined && redisUrl !== undefined
  return {
    ...values,
    dataDir: resolve(values.dataDir),
    shared: isShared ? { databaseUrl, redisUrl, redisDurability, redisWaitReplicas } : null,
  }
}

function readValues(env: Environment, addProblem: (name: SettingName, problem: string) => void): SettingValues {
  const values = Object.entries(settingSchema).map(([key, { name, type, default: defaultValue }]) => {
    const text = textOf(env, name)
    if (text === undefined) return [key, defaultValue]
    const parsed = type(text)
    if ('value' in parsed) return [key, parsed.value]
    addProblem(name, parsed.problem)
    return [key, defaultValue]
  })
  return Object.fromEntries(values) as SettingValues
}

/** Returns the text of a variable. A blank text counts as not set. */
function textOf(env: Environment, name: SettingName): string | undefined {
  return env[name]?.trim() || undefined
}

/**
 * Returns the problem of a setting that requires another one. With only one of the two, nodes would share their
 * accounts but not their messages, or the other way round.
 */
function needs(other: SettingName): string {
  return `requires ${other}; set both, or neither`
}

/** Name of the socket of the command line in the data folder. */
export const adminSocketName = 'admin.sock'

/** Returns the socket of the command line, and whether the operator chose it; `null` if there is no socket. */
export function adminSocketOf({ adminSocket, dataDir, shared }: Pick<Settings, 'adminSocket' | 'dataDir' | 'shared'>) {
  if (adminSocket !== undefined) return { path: resolve(adminSocket), isChosen: true }
  // Nodes of a cluster have no default path: they need no data folder, and may share a working directory.
  return shared === null ? { path: join(dataDir, adminSocketName), isChosen: false } : null
}

const hourMs = 3_600_000

/** Returns the limits of the message log. */
export function retentionOf({ retentionHours, retentionMessages }: Settings) {
  return { maxAgeMs: retentionHours * hourMs, maxMessages: retentionMessages }
}
