import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { compileCache } from '../../scripts/server-flags.mjs'
import { joinedModules, joinedModulesFolder } from '../../server/joined-modules.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const patientMs = 30_000

test.each(joinedModules)(
  'OPERATING-10 the build joins $name into one file that has all of it',
  async ({ name, file }) => {
    const joined = (await import(join(joinedModulesFolder() ?? '', file))) as object
    const original = (await import(name)) as object
    expect(Object.keys(joined).toSorted()).toStrictEqual(Object.keys(original).toSorted())
  },
)

/** The server registers somebody and checks a message's shape: both libraries are at work. */
async function startAndRegister(env: NodeJS.ProcessEnv): Promise<void> {
  const server = spawnServer({ env: { DATA_DIR: temporaryFolder(), ...env } })
  const url = await server.opened()
  const body = JSON.stringify({ name: 'alice', email: 'alice@example.org', password: 'secret' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url + routes.register, { method: 'POST', headers, body })).status).toBe(201)
}

test('OPERATING-10 what was compiled is kept for the next start, also when the process is killed', async () => {
  const folder = join(temporaryFolder(), 'compile-cache')
  await startAndRegister({ NODE_COMPILE_CACHE: folder })
  const kept = () => existsSync(folder) && readdirSync(folder, { recursive: true }).length
  await vi.waitUntil(() => Number(kept()) > 100, { timeout: patientMs })
  await startAndRegister({ NODE_COMPILE_CACHE: folder })
})

test('OPERATING-10 a cache that cannot be written costs time and nothing else', async () => {
  await startAndRegister({ NODE_COMPILE_CACHE: '/etc/passwd/compile-cache' })
})

test('OPERATING-10 the cache lies beside the build, else in the data folder, else nowhere', () => {
  const root = temporaryFolder()
  const dataDir = join(root, 'elsewhere')
  expect(compileCache(root, { DATA_DIR: dataDir })).toStrictEqual({})
  mkdirSync(dataDir)
  expect(compileCache(root, { DATA_DIR: dataDir })).toStrictEqual({
    NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'),
  })
  mkdirSync(join(root, 'dist'))
  expect(compileCache(root, { DATA_DIR: dataDir })).toStrictEqual({
    NODE_COMPILE_CACHE: join(root, 'dist', 'compile-cache'),
  })
  expect(compileCache(root, { NODE_COMPILE_CACHE: '/mine' })).toStrictEqual({})
})
