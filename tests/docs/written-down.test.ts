import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { tokenLifetimeMs } from '../../contract/limits.ts'
import { sendRefusalCodes } from '../../contract/refusals.ts'
import { apiDescriptionPath, callPaths, probes } from '../../contract/routes.ts'
import { createCounting } from '../../server/counting.ts'
import { maxPageBytes } from '../../server/room/replay-pages.ts'
import type { SettingName } from '../../server/setting-names.ts'
import { readSettings } from '../../server/settings.ts'
import { databaseNames, databaseTables, dataFiles } from '../../server/sqlite/data-folder.ts'
import { projectRoot } from '../support/project-root.ts'
import { startServer } from '../support/start-server.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
/** The program itself, without its tests. */
const sourcesOf = (side: string) =>
  globSync(`${side}/**/*.{ts,tsx}`, { cwd: projectRoot, exclude: ['**/*.test.*', '**/*.suite.ts'] })
    .map(read)
    .join('\n')
/** Without its layout: only what a step does counts. */
const hashOf = (text: string) =>
  createHash('sha256').update(text.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 12)

/** Without what stands in code of its own, `{ up: rekeyNames }`: its tests are beside it. */
function stepsOf(file: string, step: RegExp): string[] {
  return [...read(file).matchAll(step)].map(([, text = '']) => hashOf(text))
}

test('DOCS-3 every event and every code of a refusal stands in the README', () => {
  const readme = read('README.md')
  for (const name of [...Object.values(events), ...sendRefusalCodes]) expect(readme, name).toMatch(`\`${name}`)
})

test('DOCS-3 every call stands in the README, and among the paths that are passed on in development', async () => {
  const { url } = await startServer()
  const { paths } = (await (await fetch(url + apiDescriptionPath)).json()) as { paths: Record<string, object> }
  expect(new Set(Object.keys(paths))).toStrictEqual(new Set([...callPaths, ...Object.values(probes)]))
  for (const path of callPaths) {
    for (const method of Object.keys(paths[path] ?? {})) {
      expect(read('README.md')).toContain(`| \`${method.toUpperCase()} ${path}\` |`)
    }
  }
})

/** What stands in quotes, without the parts that are filled in. */
const quotedIn = (row: string) =>
  [...row.matchAll(/(?<!\w)'(.+?)'(?!\w)/g)].flatMap(([, words = '']) => words.split(/\{\w+\}|\[[\w -]+\]/))

/** They are put together from parts. */
const assembled = ['Online Users Socket Id', 'username : message']

/** As a text of its own: 'Send' is not said by 'Send Your Message'. */
function isSaid(words: string, sources: string): boolean {
  if (assembled.includes(words)) return sources.includes(words)
  return new RegExp(`(?:['"\`>}]|^)\\s*${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(?:['"\`<{$]|$)`, 'm').test(
    sources,
  )
}

test('DOCS-3 the words that the specification quotes are those of the page', () => {
  const [, specified = ''] = /^## The specification\n(.*?)^## /ms.exec(read('docs/requirements.md')) ?? []
  const quoted = [...specified.matchAll(/^\| [A-Z]+-\d+ \| (.*) \|$/gm)].flatMap(([, row = '']) => quotedIn(row))
  expect(quoted.length).toBeGreaterThan(30)
  const sources = sourcesOf('web') + sourcesOf('contract')
  for (const words of quoted) expect(isSaid(words.trim(), sources), words).toBe(true)
})

test.each(['server', 'web'])('WIRE-3 every event of the contract is sent or heard in %s', (side) => {
  const spoken = new Set(sourcesOf(side).match(/(?<=\bevents\.)\w+/g))
  expect([...spoken]).toStrictEqual(expect.arrayContaining(Object.keys(events)))
})

test('OPERATING-6 whatever can be counted is counted by somebody', async () => {
  const unread = () => 0
  const sources = { connections: unread, pages: unread, databaseFiles: {}, checkStorage: async () => undefined }
  const counted = await createCounting(false, sources)
  const called = new Set(sourcesOf('server').match(/(?<=\bmetrics\.)\w+(?=\()/g))
  expect([...called]).toStrictEqual(expect.arrayContaining(Object.keys(counted)))
})

test('DOCS-3 every metric stands in the guide for operators', () => {
  const metrics = [...read('server/metrics.ts').matchAll(/'(chat_\w+)'/g)].map(([, name = '']) => name)
  expect(metrics.length).toBeGreaterThan(5)
  for (const name of metrics) expect(read('docs/operating.md'), name).toMatch(`\`${name}`)
})

test('DOCS-3 every file of the data folder stands in the guides to storage and for operators', () => {
  const { old: _old, moving: _moving, ...files } = dataFiles('data')
  for (const file of Object.values(dataFiles('data'))) expect(read('docs/storage.md')).toContain(basename(file))
  for (const file of Object.values(files)) expect(read('docs/operating.md')).toContain(`| \`${basename(file)}\` |`)
})

test('DOCS-3 every database is backed up and restored', () => {
  const files = dataFiles('data')
  const besides = ['head', 'lock', 'old', 'moving']
  expect(Object.keys(files).toSorted()).toStrictEqual([...databaseNames, ...besides].toSorted())
  const script = read('deploy/databases.sh')
  const names = databaseNames.map((name) => basename(files[name], '.sqlite'))
  expect(script).toContain(`databases='${names.join(' ')}'`)
  for (const name of databaseNames) {
    expect(script).toMatch(new RegExp(`^ +${basename(files[name], '.sqlite')}\\) .*'${databaseTables[name]}'`, 'm'))
  }
})

test('DOCS-3 the pages that name how long a token lives say what it is', () => {
  const lifetime = `${tokenLifetimeMs / 86_400_000} days`
  for (const page of ['SECURITY.md', 'docs/bounds.md', 'docs/operating.md', 'docs/storage.md']) {
    const mentions = read(page).match(/\d+ days/g)
    expect(new Set(mentions), page).toStrictEqual(new Set([lifetime]))
  }
})

test('DOCS-3 the pages that name how large a page of replay is say what it is', () => {
  const size = `${maxPageBytes / 1_024} KB`
  for (const page of ['ARCHITECTURE.md', 'docs/bounds.md', 'docs/delivery.md', 'docs/requirements.md']) {
    const lines = read(page).match(/^.*\bpages? (?:of|after it)\b.*$/gm) ?? []
    expect(new Set(lines.flatMap((line) => line.match(/\d+ KB/g) ?? [])), page).toStrictEqual(new Set([size]))
  }
})

test('DOCS-3 the defaults in the README’s table of settings are those that hold', () => {
  const rows = [...read('README.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| ([^|]+) \|/gm)]
  const told = rows.flatMap(([, names = '', defaults = '']) => {
    const [known, values] = [names.split(', '), defaults.split(', ')]
    return known.map((name, index) => [name.replaceAll('`', ''), values[index] ?? values[0]] as const)
  })
  const { shared } = readSettings({ DATABASE_URL: 'postgres://db/chat', REDIS_URL: 'redis://redis:6379' })
  const { port, retentionHours, retentionMessages, messagesPerSecond, messagesPerSecondPerIp, ...rest } = readSettings(
    {},
  )
  expect(Object.fromEntries(told)).toStrictEqual({
    PORT: String(port),
    HOST: rest.host ?? 'all interfaces',
    DATA_DIR: `\`./${relative(process.cwd(), rest.dataDir)}\``,
    DATABASE_URL: rest.shared ?? '–',
    REDIS_URL: rest.shared ?? '–',
    REDIS_DURABILITY: shared?.redisDurability,
    REDIS_WAIT_REPLICAS: String(shared?.redisWaitReplicas),
    ALLOWED_ORIGINS: rest.allowedOrigins.join() || '–',
    TRUST_PROXY: rest.trustProxy.join() || '–',
    RETENTION_HOURS: String(retentionHours),
    RETENTION_MESSAGES: String(retentionMessages),
    MESSAGES_PER_SECOND: String(messagesPerSecond),
    MESSAGES_PER_SECOND_PER_IP: String(messagesPerSecondPerIp),
    MAX_CONNECTIONS_PER_IP: String(rest.maxConnectionsPerIp),
    METRICS_PORT: rest.metricsPort ?? '–',
    LOG_LEVEL: rest.logLevel,
  } satisfies Record<SettingName, unknown>)
})

test('STORAGE-13 a step of a schema that was released is never changed: a database that has done it would not notice', () => {
  const ofLog = stepsOf('server/room/sqlite/log-schema.ts', /^ {2}`([^`]+)`,$/gm)
  const ofAccounts = stepsOf('server/accounts/account-tables.ts', /^ {2}'\d{3}-[^']+': \{\n(.*?)^ {2}\},$/gms)
  // A new step adds its hash here; a hash that has changed means that a released one was edited.
  expect(ofLog).toStrictEqual(['6281e6ff8183', 'b06044453c90'])
  expect(ofAccounts).toStrictEqual(['e6d15225bdcb', '0ed05aa12fa3', 'e13bdd822a69'])
})
