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
  'DATABASE_URL',
  'REDIS_URL',
  'REDIS_DURABILITY',
  'REDIS_WAIT_REPLICAS',
] as const

/** What is not listed cannot be read. */
export type SettingName = (typeof settingNames)[number]
