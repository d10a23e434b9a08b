import { relative } from 'node:path'
import { type SettingName, settingNames } from '../../server/config/setting-names.ts'
import { readSettings } from '../../server/config/settings.ts'
import { code, table } from './tables.ts'

const settings = readSettings({})
const shared = readSettings({ DATABASE_URL: 'postgres://db/chat', REDIS_URL: 'redis://redis:6379' }).shared

interface Description {
  default: string | number | undefined
  text: string
}

const descriptions: Readonly<Record<SettingName, Description>> = {
  PORT: { default: settings.port, text: 'Port of the server. 0 picks a free port.' },
  HOST: { default: settings.host ?? 'all interfaces', text: 'Address to listen on.' },
  DATA_DIR: {
    default: code(`./${relative(process.cwd(), settings.dataDir)}`),
    text: 'Folder of the SQLite files and the compile cache. One server at a time.',
  },
  ALLOWED_ORIGINS: {
    default: settings.allowedOrigins.join(),
    text: 'Further browser origins, for example `https://chat.example.org`. The same origin, loopback and clients without `Origin` are always allowed.',
  },
  TRUST_PROXY: {
    default: settings.trustProxy.join(),
    text: 'Addresses or ranges of proxies whose `X-Forwarded-*` headers the server trusts.',
  },
  RETENTION_HOURS: { default: settings.retentionHours, text: 'Maximum age of a stored message.' },
  RETENTION_MESSAGES: { default: settings.retentionMessages, text: 'Maximum number of stored messages.' },
  MESSAGES_PER_SECOND: {
    default: settings.messagesPerSecond,
    text: 'Send rate of one connection. 0 turns this limit and raid mode off.',
  },
  MESSAGES_PER_SECOND_PER_IP: {
    default: settings.messagesPerSecondPerIp,
    text: 'Send rate of one address. 0 turns the limit off.',
  },
  MAX_CONNECTIONS_PER_IP: {
    default: settings.maxConnectionsPerIp,
    text: 'Maximum number of connections of one address; a page has two. 0 turns the limit off.',
  },
  METRICS_PORT: { default: settings.metricsPort, text: 'Port for Prometheus metrics at `/metrics`, on loopback only.' },
  LOG_LEVEL: { default: settings.logLevel, text: 'fatal, error, warn, info, debug, trace or silent.' },
  DATABASE_URL: { default: '', text: 'PostgreSQL 15 or newer for accounts. Needs `REDIS_URL`.' },
  REDIS_URL: { default: '', text: 'Redis 7 or newer for the room. Needs `DATABASE_URL`.' },
  REDIS_DURABILITY: {
    default: shared?.redisDurability,
    text: '`relaxed` accepts a Redis that can lose acknowledged messages.',
  },
  REDIS_WAIT_REPLICAS: {
    default: shared?.redisWaitReplicas,
    text: 'Number of replicas that must have a message before the server acknowledges it.',
  },
}

/** Returns the table of settings: name, default and description. */
export function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const { default: value, text } = descriptions[name]
    return [code(name), value === undefined || value === '' ? '–' : String(value), text]
  })
  return table(['variable', 'default', 'description'], rows)
}
