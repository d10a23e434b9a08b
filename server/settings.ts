import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { defaultPort } from '../contract/constants.ts'
import { StartError } from './start-error.ts'

export interface Settings {
  port: number
  /** `undefined`: all interfaces. */
  host: string | undefined
  dataDir: string
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

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

type Environment = Record<string, string | undefined>

/** Reads the environment; the first setting that makes no sense stops the start, by name. */
export function readSettings(env: Environment): Settings {
  refuseUnsupported(env)
  return {
    port: wholeNumber(env, 'PORT', defaultPort, 0, 65_535),
    host: env['HOST'] || undefined,
    dataDir: resolve(env['DATA_DIR'] || './data'),
    allowedOrigins: list(env, 'ALLOWED_ORIGINS', isOrigin, 'an origin like https://chat.example.org'),
    trustProxy: list(env, 'TRUST_PROXY', isAddressRange, 'an IP address or a range like 10.0.0.0/8'),
    retentionHours: positive(env, 'RETENTION_HOURS', 24),
    retentionMessages: wholeNumber(env, 'RETENTION_MESSAGES', 100_000, 1, 100_000_000),
    messagesPerSecond: rate(env, 'MESSAGES_PER_SECOND', 20),
    messagesPerSecondPerIp: rate(env, 'MESSAGES_PER_SECOND_PER_IP', 100),
    maxConnectionsPerIp: wholeNumber(env, 'MAX_CONNECTIONS_PER_IP', 256, 0, 1_000_000),
    metricsPort: env['METRICS_PORT'] ? wholeNumber(env, 'METRICS_PORT', 0, 0, 65_535) : undefined,
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', logLevels),
  }
}

function refuseUnsupported(env: Environment): void {
  for (const name of ['DATABASE_URL', 'REDIS_URL']) {
    if (env[name]) throw new StartError(`${name}: this version keeps everything in DATA_DIR; unset ${name}`)
  }
}

function numberOf(env: Environment, name: string, fallback: number): number {
  const text = env[name]?.trim()
  return text === undefined || text === '' ? fallback : Number(text)
}

function wholeNumber(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const value = numberOf(env, name, fallback)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new StartError(`${name}: '${env[name]}' is not a whole number from ${min} to ${max}`)
}

function positive(env: Environment, name: string, fallback: number): number {
  const value = numberOf(env, name, fallback)
  if (Number.isFinite(value) && value > 0) return value
  throw new StartError(`${name}: '${env[name]}' is not a number above 0`)
}

function rate(env: Environment, name: string, fallback: number): number {
  const value = numberOf(env, name, fallback)
  if (Number.isFinite(value) && value >= 0) return value
  throw new StartError(`${name}: '${env[name]}' is not a number of 0 or more`)
}

function oneOf(env: Environment, name: string, fallback: string, choices: string[]): string {
  const value = env[name] || fallback
  if (choices.includes(value)) return value
  throw new StartError(`${name}: '${value}' is none of ${choices.join(', ')}`)
}

function list(env: Environment, name: string, isValid: (item: string) => boolean, expected: string): string[] {
  const items = (env[name] ?? '').split(/[\s,]+/).filter((item) => item !== '')
  const bad = items.find((item) => !isValid(item))
  if (bad !== undefined) throw new StartError(`${name}: '${bad}' is not ${expected}`)
  return items
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
