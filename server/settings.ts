import { resolve } from 'node:path'
import { defaultPort } from '../contract/constants.ts'
import { burstSeconds } from './limits/token-bucket.ts'
import { createSettingsReader, type Environment } from './settings-reader.ts'
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

const maxRetentionHours = 100 * 365 * 24
/** Below it a whole burst would be less than one message: nobody could ever send. */
const minMessagesPerSecond = 1 / burstSeconds
const maxMessagesPerSecond = 1_000_000

const ofManyNodes = ['DATABASE_URL', 'REDIS_URL', 'REDIS_DURABILITY', 'REDIS_WAIT_REPLICAS']

/** Every variable that means something to the server, for whoever looks for misspelt ones. */
export const settingNames = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'ALLOWED_ORIGINS',
  'TRUST_PROXY',
  'RETENTION_HOURS',
  'RETENTION_MESSAGES',
  'MESSAGES_PER_SECOND',
  'MESSAGES_PER_SECOND_PER_IP',
  'MAX_CONNECTIONS_PER_IP',
  'METRICS_PORT',
  'LOG_LEVEL',
  ...ofManyNodes,
]

/** Reads the environment; settings that make no sense stop the start, all of them named, a line each. */
export function readSettings(env: Environment): Settings {
  const read = createSettingsReader(env)
  for (const name of ofManyNodes) {
    if (read.text(name) !== undefined) read.refuse(name, `this version keeps everything in DATA_DIR; unset ${name}`)
  }
  const settings: Settings = {
    port: read.wholeNumber('PORT', 0, 65_535) ?? defaultPort,
    host: read.text('HOST'),
    dataDir: resolve(read.text('DATA_DIR') ?? './data'),
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
  if (settings.metricsPort === settings.port) read.refuse('METRICS_PORT', `${settings.port} is already the PORT`)
  if (read.problems.length > 0) throw new StartError(read.problems.join('\n'))
  return settings
}
