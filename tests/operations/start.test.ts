import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { probes } from '../../contract/routes.ts'
import { StartError } from '../../server/base/start-error.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'

/** Starts the server with invalid settings and returns its error line. */
async function failedStart(env: NodeJS.ProcessEnv): Promise<string> {
  const { exited, output } = spawnServer({ env: { DATA_DIR: temporaryFolder(), ...env } })
  expect(await exited).toBe(1)
  const lines = output.stderr.split('\n')
  expect(lines).toStrictEqual([expect.stringMatching(/\S/), ''])
  return lines[0] ?? ''
}

// `settings.test.ts` tests the invalid values of every setting.
test.each([
  ['PORT', 'abc'],
  ['HOST', 'no.such.host.invalid'],
  ['HOST', '203.0.113.1'],
])('START-1 %s=%s ends the start with one line that names the setting and exit code 1', async (name, value) => {
  expect(await failedStart({ [name]: value })).toMatch(new RegExp(`^(\\w+, )?${name}: `))
})

test('OPERATING-5 each invalid setting gets an error line and exit code 1; an unknown or doubtful one gets a warning', async () => {
  const bad = { PORT: 'x', MESSAGES_PER_SECOND: '0.05', METRICS_PORT: '0', ALLOWED_ORIGINS: 'https://*.example' }
  const failed = spawnServer({ env: { DATA_DIR: temporaryFolder(), ...bad } })
  expect(await failed.exited).toBe(1)
  const names = failed.output.stderr
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0] ?? '')
  expect(names.toSorted()).toStrictEqual(Object.keys(bad).toSorted())

  const odd = { MESSAGE_PER_SECOND: '5', MAX_CONNECTIONS_PER_IP: '1' }
  const warned = spawnServer({ env: { DATA_DIR: temporaryFolder(), ...odd } })
  await warned.opened()
  expect(warned.output.stdout).toMatch(/"MESSAGE_PER_SECOND".*"MESSAGES_PER_SECOND".*unknown setting/)
  expect(warned.output.stdout).toContain('MAX_CONNECTIONS_PER_IP is too low for a page')
})

test.each(['PORT', 'METRICS_PORT'])(
  'START-1 a %s in use ends the start with one line that names it and exit code 1',
  async (name) => {
    const other = createServer().listen(0)
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    expect(await failedStart({ [name]: port })).toBe(
      `${name}: ${port} is already in use; stop the other program or set another port`,
    )
  },
)

test('START-1 a data folder that is not writable ends the start with one line that names it and exit code 1', async () => {
  const file = join(temporaryFolder(), 'data')
  writeFileSync(file, 'a file where the folder should be')
  for (const folder of [file, join(file, 'below')]) {
    expect(await failedStart({ DATA_DIR: folder })).toMatch(new RegExp(`^DATA_DIR: .*${folder}`))
  }
})

test('START-1 a corrupt database ends the start with one line that names the file', async () => {
  for (const name of [...databaseNames, 'lock'] as const) {
    const folder = temporaryFolder()
    const file = dataFiles(folder)[name]
    writeFileSync(file, 'garbage '.repeat(1_000))
    const error: unknown = await startServer({ DATA_DIR: folder }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StartError)
    expect((error as StartError).message).toMatch(new RegExp(`^DATA_DIR: .*${file}.*$`))
  }
})

test('START-1 a second server on a data folder exits with one line and code 1; after kill -9 the folder is free at once', async () => {
  const folder = temporaryFolder()
  const first = spawnServer({ env: { DATA_DIR: folder } })
  await first.opened()
  expect(await failedStart({ DATA_DIR: folder })).toBe(
    `DATA_DIR: another server is running on the folder ${folder}; stop it, or set another folder`,
  )
  first.kill('SIGKILL')
  expect(await first.exited).toBe('SIGKILL')
  const second = await startServer({ DATA_DIR: folder })
  expect((await fetch(second.url + probes.ready)).status).toBe(200)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'START-2 %s, also twice in quick succession, stops the server with exit code 0',
  async (signal) => {
    const server = spawnServer({ env: { DATA_DIR: temporaryFolder() } })
    await server.opened()
    server.kill(signal)
    server.kill(signal)
    expect(await server.exited).toBe(0)
    expect(server.output.stderr).toBe('')
  },
)
