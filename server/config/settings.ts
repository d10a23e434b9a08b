import { resolve } from 'node:path'
import { defaultPort } from '../../contract/constants.ts'
import { burstSeconds } from './rate-burst.ts'
import { findDatabaseUrlProblem } from './database-url.ts'
import { findRedisUrlProblem } from './redis-url.ts'
import { createSettingsReader, type Environment, type SettingsReader } from './settings-reader.ts'
import { StartError } from '../base/start-error.ts'

/** Where several nodes meet. */
export interface SharedSettings {
  databaseUrl: string
  redisUrl: string
  redisDurability: 'strict' | 'relaxed'
  redisWaitReplicas: number
}

export interface Settings {
  port: number
  /** `undefined`: all interfaces. */
  host: string | undefined
  dataDir: string
  /** `null`: everything is kept in `dataDir`. */
  shared: SharedSettings | null
  allowedOrigins: string[]
  trustProxy: string[]
  retentionHours: number
  retentionMessages: number
  messagesPerSecond: number
  messagesPerSecondPerIp: number
  maxConnectionsPerIp: number
  metricsPort: number | undefined
  logLevel: string
}

const durabilities = ['strict', 'relaxed'] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const maxRetentionHours = 100 * 365 * 24
/** With a lower rate, a whole burst would be less than one message and clients could never send. */
const minMessagesPerSecond = 1 / burstSeconds
const maxMessagesPerSecond = 1_000_000

/** Reads the environment; settings that make no sense stop the start, all of them named, a line each. */
export function readSettings(env: Environment): Settings {
  const read = createSettingsReader(env)
  const settings: Settings = {
    port: read.wholeNumber('PORT', 0, 65_535) ?? defaultPort,
    host: read.text('HOST'),
    dataDir: resolve(read.text('DATA_DIR') ?? './data'),
    shared: readSharedSettings(read),
    allowedOrigins: read.origins('ALLOWED_ORIGINS'),
    trustProxy: read.addressRanges('TRUST_PROXY'),
    retentionHours: read.positive('RETENTION_HOURS', maxRetentionHours) ?? 24,
    retentionMessages: read.wholeNumber('RETENTION_MESSAGES', 1, 100_000_000) ?? 100_000,
    messagesPerSecond: read.rate('MESSAGES_PER_SECOND', minMessagesPerSecond, maxMessagesPerSecond) ?? 20,
    messagesPerSecondPerIp: read.rate('MESSAGES_PER_SECOND_PER_IP', minMessagesPerSecond, maxMessagesPerSecond) ?? 100,
    maxConnectionsPerIp: read.wholeNumber('MAX_CONNECTIONS_PER_IP', 0, 1_000_000) ?? 256,
    // A free port of the system's choice would be one that no collector knows.
    metricsPort: read.wholeNumber('METRICS_PORT', 1, 65_535),
    logLevel: read.oneOf('LOG_LEVEL', logLevels) ?? 'info',
  }
  if (settings.metricsPort === settings.port) read.addProblem('METRICS_PORT', `${settings.port} is already the PORT`)
  if (read.problems.length > 0) throw new StartError(read.problems.join('\n'))
  return settings
}

/** Both addresses or neither: half a cluster would keep its accounts or its room where nobody looks for them. */
function readSharedSettings(read: SettingsReader): SharedSettings | null {
  const databaseUrl = read.address('DATABASE_URL', findDatabaseUrlProblem)
  const redisUrl = read.address('REDIS_URL', findRedisUrlProblem)
  const redisDurability = read.oneOf('REDIS_DURABILITY', durabilities) ?? 'strict'
  const redisWaitReplicas = read.wholeNumber('REDIS_WAIT_REPLICAS', 0, 100) ?? 0
  if (databaseUrl !== undefined && redisUrl !== undefined) {
    return { databaseUrl, redisUrl, redisDurability, redisWaitReplicas }
  }
  if (databaseUrl !== undefined && read.text('REDIS_URL') === undefined) {
    read.addProblem('DATABASE_URL', 'goes together with REDIS_URL; set both, or neither')
  }
  if (redisUrl !== undefined && read.text('DATABASE_URL') === undefined) {
    read.addProblem('REDIS_URL', 'goes together with DATABASE_URL; set both, or neither')
  }
  for (const name of ['REDIS_DURABILITY', 'REDIS_WAIT_REPLICAS'] as const) {
    if (read.text('REDIS_URL') === undefined && read.text(name) !== undefined) {
      read.addProblem(name, 'means nothing without REDIS_URL and DATABASE_URL')
    }
  }
  return null
}

const hourMs = 3_600_000

/** What the log keeps, in the units that it counts in. */
export function retentionOf({ retentionHours, retentionMessages }: Settings) {
  return { maxAgeMs: retentionHours * hourMs, maxMessages: retentionMessages }
}
