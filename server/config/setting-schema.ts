import { defaultPort } from '../../contract/constants.ts'
import { findDatabaseUrlProblem } from './database-url.ts'
import { burstSeconds } from './rate-burst.ts'
import { findRedisUrlProblem } from './redis-url.ts'
import {
  addressRanges,
  oneOf,
  optional,
  origins,
  positiveNumber,
  rate,
  secretUrl,
  type SettingType,
  text,
  wholeNumber,
} from './setting-types.ts'

const maxRetentionHours = 100 * 365 * 24
/**
 * Minimum rate of messages, except 0, which turns off the limit. With a lower rate, a whole burst would be less than
 * one message.
 */
const minMessagesPerSecond = 1 / burstSeconds
const maxMessagesPerSecond = 1_000_000

/**
 * All settings of the server. `npm run docs` generates the table of settings from this object, in this order.
 * `defaultText` replaces a default that the table cannot show as a value.
 */
export const settingSchema = {
  port: setting({
    name: 'PORT',
    type: wholeNumber(0, 65_535),
    default: defaultPort,
    description: 'Port of the server. 0 picks a free port.',
  }),
  host: setting({
    name: 'HOST',
    type: optional(text),
    default: undefined,
    defaultText: 'all interfaces',
    description: 'Address to listen on.',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    type: text,
    default: './data',
    defaultText: '`./data`',
    description:
      'Folder for the SQLite files. Only one server may use it. Node.js caches compiled scripts here if `dist/` is not writable.',
  }),
  allowedOrigins: setting({
    name: 'ALLOWED_ORIGINS',
    type: origins,
    default: [],
    description:
      'Origins of other websites whose pages may use this room, such as `https://www.example.org`. The room itself, localhost and clients other than browsers need no entry.',
  }),
  publicOrigins: setting({
    name: 'PUBLIC_ORIGINS',
    type: origins,
    default: [],
    description:
      'Addresses of this room in browsers, such as `https://chat.example.org`. Against DNS rebinding, the server then rejects requests for other host names, except localhost and IP addresses. Set it behind a proxy.',
  }),
  trustProxy: setting({
    name: 'TRUST_PROXY',
    type: addressRanges,
    default: [],
    description:
      'Addresses or ranges of your proxies. The server takes the address of a client from their `X-Forwarded-For` header.',
  }),
  retentionHours: setting({
    name: 'RETENTION_HOURS',
    type: positiveNumber(maxRetentionHours),
    default: 24,
    description: 'Maximum age of a stored message, in hours.',
  }),
  retentionMessages: setting({
    name: 'RETENTION_MESSAGES',
    type: wholeNumber(1, 100_000_000),
    default: 100_000,
    description: 'Maximum number of stored messages.',
  }),
  messagesPerSecond: setting({
    name: 'MESSAGES_PER_SECOND',
    type: rate(minMessagesPerSecond, maxMessagesPerSecond),
    default: 20,
    description:
      'Maximum send rate of one connection. 0 turns off this limit and [raid mode](ARCHITECTURE.md#glossary).',
  }),
  messagesPerSecondPerIp: setting({
    name: 'MESSAGES_PER_SECOND_PER_IP',
    type: rate(minMessagesPerSecond, maxMessagesPerSecond),
    default: 100,
    description: 'Maximum send rate of one address: an IPv4 address or an IPv6 /64 network. 0 turns off the limit.',
  }),
  maxConnectionsPerIp: setting({
    name: 'MAX_CONNECTIONS_PER_IP',
    type: wholeNumber(0, 1_000_000),
    default: 256,
    description: 'Maximum number of connections of one address. Each open page uses two. 0 turns off the limit.',
  }),
  metricsPort: setting({
    name: 'METRICS_PORT',
    // 0 is not valid, because a collector could not know the port.
    type: optional(wholeNumber(1, 65_535)),
    default: undefined,
    description: 'Second port, for Prometheus metrics at `/metrics`, on loopback only.',
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    description: 'fatal, error, warn, info, debug, trace or silent.',
  }),
  adminSocket: setting({
    name: 'ADMIN_SOCKET',
    type: optional(text),
    default: undefined,
    defaultText: '`admin.sock` in `DATA_DIR`; none with `REDIS_URL`',
    description:
      'Unix socket of the [command line](docs/operating.md#command-line). With `REDIS_URL`, give each node its own path, or its command line is off.',
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    type: optional(secretUrl(findDatabaseUrlProblem)),
    default: undefined,
    description: 'PostgreSQL 15 or newer, for the accounts of several nodes. Needs `REDIS_URL`.',
  }),
  redisUrl: setting({
    name: 'REDIS_URL',
    type: optional(secretUrl(findRedisUrlProblem)),
    default: undefined,
    description: 'Redis 7 or newer, for the messages of several nodes. Needs `DATABASE_URL`.',
  }),
  redisDurability: setting({
    name: 'REDIS_DURABILITY',
    type: oneOf('strict', 'relaxed'),
    default: 'strict',
    description:
      '`strict`: the server does not start if Redis can lose acknowledged messages. `relaxed`: it starts with a warning.',
  }),
  redisWaitReplicas: setting({
    name: 'REDIS_WAIT_REPLICAS',
    type: wholeNumber(0, 100),
    default: 0,
    description: 'Number of Redis replicas that must have a message before the server acknowledges it.',
  }),
}

interface SettingDefinition<Name extends string, Value> {
  name: Name
  type: SettingType<Value>
  default: NoInfer<Value>
  defaultText?: string
  description: string
}

/** Returns a setting and infers its name and type. */
function setting<const Name extends string, Value>(
  definition: SettingDefinition<Name, Value>,
): SettingDefinition<Name, Value> {
  return definition
}

type SettingSchema = typeof settingSchema
export type SettingName = SettingSchema[keyof SettingSchema]['name']
export type SettingValues = { [Key in keyof SettingSchema]: SettingSchema[Key]['default'] }

export const settingNames: readonly SettingName[] = Object.values(settingSchema).map(({ name }) => name)
