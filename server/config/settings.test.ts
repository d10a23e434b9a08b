import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { burstSeconds } from './rate-burst.ts'
import { findSuspiciousSettings } from './suspicious-settings.ts'
import { findMisspeltSettings } from './misspelt-settings.ts'
import { type SettingName, settingNames } from './setting-schema.ts'
import { readSettings } from './settings.ts'
import { StartError } from '../base/start-error.ts'

test('START-1 API-4 an empty environment gives the defaults', () => {
  expect(readSettings({})).toStrictEqual({
    port: 3001,
    host: undefined,
    dataDir: resolve('data'),
    shared: null,
    allowedOrigins: [],
    publicOrigins: [],
    trustProxy: [],
    retentionHours: 24,
    retentionMessages: 100_000,
    messagesPerSecond: 20,
    messagesPerSecondPerIp: 100,
    maxConnectionsPerIp: 256,
    metricsPort: undefined,
    logLevel: 'info',
    adminSocket: undefined,
  })
})

test('START-1 every setting is read', () => {
  expect(
    readSettings({
      PORT: '8080',
      HOST: '127.0.0.1',
      DATA_DIR: '/var/lib/chat',
      DATABASE_URL: 'postgres://chat:secret@db.example.org/chat',
      REDIS_URL: 'rediss://chat:secret@redis.example.org:6380/2',
      REDIS_DURABILITY: 'relaxed',
      REDIS_WAIT_REPLICAS: '2',
      ALLOWED_ORIGINS: 'https://chat.example.org, http://10.0.0.1:8080',
      PUBLIC_ORIGINS: 'https://room.example.org',
      TRUST_PROXY: '10.0.0.0/8 ::1,192.0.2.7',
      RETENTION_HOURS: '0.5',
      RETENTION_MESSAGES: '1',
      MESSAGES_PER_SECOND: '0',
      MESSAGES_PER_SECOND_PER_IP: '2.5',
      MAX_CONNECTIONS_PER_IP: '0',
      METRICS_PORT: '9100',
      LOG_LEVEL: 'silent',
      ADMIN_SOCKET: '/run/chat/admin.sock',
    }),
  ).toStrictEqual({
    port: 8080,
    host: '127.0.0.1',
    dataDir: '/var/lib/chat',
    shared: {
      databaseUrl: 'postgres://chat:secret@db.example.org/chat',
      redisUrl: 'rediss://chat:secret@redis.example.org:6380/2',
      redisDurability: 'relaxed',
      redisWaitReplicas: 2,
    },
    allowedOrigins: ['https://chat.example.org', 'http://10.0.0.1:8080'],
    publicOrigins: ['https://room.example.org'],
    trustProxy: ['10.0.0.0/8', '::1', '192.0.2.7'],
    retentionHours: 0.5,
    retentionMessages: 1,
    messagesPerSecond: 0,
    messagesPerSecondPerIp: 2.5,
    maxConnectionsPerIp: 0,
    metricsPort: 9100,
    logLevel: 'silent',
    adminSocket: '/run/chat/admin.sock',
  })
})

test('START-1 a blank setting counts as not set', () => {
  for (const blank of ['', '  ']) {
    const empty = Object.fromEntries(settingNames.map((name) => [name, blank]))
    expect(readSettings(empty)).toStrictEqual(readSettings({}))
  }
})

/** Invalid values of every setting except the settings that accept any text. */
const invalidValues: Record<Exclude<SettingName, 'HOST' | 'DATA_DIR' | 'ADMIN_SOCKET'>, string[]> = {
  PORT: ['x', '-1', '65536', '80.5', 'NaN', '0x1f91h', '80 81', '0x1006', '1e3'],
  ALLOWED_ORIGINS: [
    'chat.example.org',
    'https://chat.example.org/',
    'https://a.example, nonsense',
    '*',
    'null',
    'https://*.example',
    'ftp://a.example',
  ],
  PUBLIC_ORIGINS: ['chat.example.org', 'https://chat.example.org/'],
  TRUST_PROXY: ['proxy.example', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', 'true'],
  RETENTION_HOURS: ['0', '-1', 'x', 'Infinity', '1e308'],
  RETENTION_MESSAGES: ['0', '1.5', '-5', '100000001', 'all'],
  MESSAGES_PER_SECOND: ['-1', 'x', 'Infinity', '0.05', '1e308'],
  MESSAGES_PER_SECOND_PER_IP: ['-0.1', 'x', '0.05', '1e308'],
  MAX_CONNECTIONS_PER_IP: ['-1', '1.5', 'x', '1e3'],
  METRICS_PORT: ['x', '-1', '0', '65536', '3001'],
  LOG_LEVEL: ['loud', 'INFO'],
  DATABASE_URL: ['postgres://localhost/chat'],
  REDIS_URL: ['redis://localhost'],
  REDIS_DURABILITY: ['relaxed'],
  REDIS_WAIT_REPLICAS: ['1'],
}

test.each(Object.entries(invalidValues))('START-1 an invalid %s is an error that names it', (name, values) => {
  for (const value of values) {
    const read = () => readSettings({ [name]: value })
    expect(read, value).toThrow(StartError)
    expect(read, value).toThrow(new RegExp(`^${name}: [^\n]+$`))
  }
})

test.each([
  ['DATABASE_URL', ['secret', 'mysql://user:secret@host/chat', 'postgres://user:secret@host']],
  ['REDIS_URL', ['secret', 'http://user:secret@host', 'redis://user:secret@host/name', 'redis://:sec/ret@host:x']],
  ['REDIS_DURABILITY', ['sometimes', 'STRICT']],
  ['REDIS_WAIT_REPLICAS', ['-1', '1.5', 'x', '101']],
])('START-1 an invalid %s among valid settings is named, and no password is repeated', (name, values) => {
  const good = { DATABASE_URL: 'postgres://user:secret@host/chat', REDIS_URL: 'redis://:secret@host' }
  for (const value of values) {
    const read = () => readSettings({ ...good, [name]: value })
    expect(read, value).toThrow(new RegExp(`^${name}: [^\n]+$`))
    expect(read, value).not.toThrow(/sec\/?ret/)
  }
})

test('OPERATING-5 all invalid settings are reported at once, one per line', () => {
  const read = () => readSettings({ PORT: 'x', ALLOWED_ORIGINS: 'https://*.example', LOG_LEVEL: 'loud' })
  expect(read).toThrow(/^PORT: [^\n]+\nALLOWED_ORIGINS: [^\n]+ has a \*[^\n]+\nLOG_LEVEL: [^\n]+$/)
})

test('OPERATING-5 the lowest valid rate still allows one message', () => {
  const { messagesPerSecond } = readSettings({ MESSAGES_PER_SECOND: '0.1' })
  expect(messagesPerSecond * burstSeconds).toBeGreaterThanOrEqual(1)
})

test('OPERATING-5 a variable that is similar to a setting is reported; variables of other programs are not', () => {
  const misspelt = {
    MESSAGE_PER_SECOND: 'MESSAGES_PER_SECOND',
    METRIC_PORT: 'METRICS_PORT',
    DATADIR: 'DATA_DIR',
    LOGLEVEL: 'LOG_LEVEL',
    log_level: 'LOG_LEVEL',
    ALLOWED_ORIGIN: 'ALLOWED_ORIGINS',
  }
  for (const [name, intended] of Object.entries(misspelt)) {
    expect(findMisspeltSettings({ [name]: '1' }), name).toStrictEqual([{ name, intended }])
  }
  const others = ['PATH', 'HOME', 'HOSTNAME', 'PORTS', 'NODE_ENV', 'XDG_DATA_DIRS', 'npm_config_loglevel', 'LOGNAME']
  others.push('LOG_DIR', 'REDIS_DB', 'DATABASE_KEY')
  expect(
    findMisspeltSettings(Object.fromEntries([...others, ...settingNames].map((name) => [name, '1']))),
  ).toStrictEqual([])
})

test('OPERATING-5 settings that contradict each other or disable a protection are reported, one per line', () => {
  const room = 'https://room.example.org'
  const wholeRange = /^suspicious setting: [^\n]+ TRUST_PROXY covers all/
  const suspicious: [Record<string, string>, object, RegExp][] = [
    [
      { MAX_CONNECTIONS_PER_IP: '1' },
      { maxConnectionsPerIp: 1 },
      /^suspicious setting: MAX_CONNECTIONS_PER_IP [^\n]+ two connections/,
    ],
    [
      { MESSAGES_PER_SECOND: '101' },
      { messagesPerSecond: 101 },
      /^suspicious setting: MESSAGES_PER_SECOND [^\n]+ MESSAGES_PER_SECOND_PER_IP/,
    ],
    [
      { MESSAGES_PER_SECOND_PER_IP: '5' },
      { messagesPerSecondPerIp: 5 },
      /^suspicious setting: MESSAGES_PER_SECOND [^\n]+ MESSAGES_PER_SECOND_PER_IP/,
    ],
    [{ TRUST_PROXY: '127.0.0.1' }, {}, /^suspicious setting: PUBLIC_ORIGINS [^\n]+ proxy/],
    [{ TRUST_PROXY: '127.0.0.1, 0.0.0.0/0', PUBLIC_ORIGINS: room }, { range: '0.0.0.0/0' }, wholeRange],
    [{ TRUST_PROXY: '::/0', PUBLIC_ORIGINS: room }, { range: '::/0' }, wholeRange],
  ]
  for (const [env, fields, text] of suspicious) {
    expect(findSuspiciousSettings(readSettings(env)), JSON.stringify(env)).toMatchObject([
      { fields, text: expect.stringMatching(text) },
    ])
  }
  const ordinary = [
    {},
    { MAX_CONNECTIONS_PER_IP: '2', TRUST_PROXY: '10.0.0.0/8', PUBLIC_ORIGINS: room },
    { MAX_CONNECTIONS_PER_IP: '0', MESSAGES_PER_SECOND: '0' },
    { MESSAGES_PER_SECOND: '1000', MESSAGES_PER_SECOND_PER_IP: '0' },
  ]
  for (const env of ordinary) expect(findSuspiciousSettings(readSettings(env)), JSON.stringify(env)).toStrictEqual([])
})
