import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { compileCache } from '../../scripts/server-flags.mjs'
import { bundledModules, bundledModulesFolder } from '../../server/base/bundled-modules.ts'
import { projectRoot } from '../support/project-root.ts'
import { sourceEntry } from '../support/server-entry.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const patientMs = 30_000

test.each(bundledModules)('OPERATING-10 the build bundles $name into one complete file', async ({ name, file }) => {
  const bundled = (await import(join(bundledModulesFolder() ?? '', file))) as object
  const original = (await import(name)) as object
  expect(Object.keys(bundled).toSorted()).toStrictEqual(Object.keys(original).toSorted())
})

/** Starts a server from its sources, as `npm start` does, and registers a user. */
async function startAndRegister(env: NodeJS.ProcessEnv): Promise<void> {
  const command = [process.execPath, sourceEntry]
  const server = spawnServer({ command, env: { DATA_DIR: temporaryFolder(), ...env } })
  const url = await server.opened()
  const body = JSON.stringify({ name: 'alice', email: 'alice@example.org', password: 'secret' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url + routes.register, { method: 'POST', headers, body })).status).toBe(201)
}

test('OPERATING-10 the compile cache is kept for the next start, also when the process is killed', async () => {
  const folder = join(temporaryFolder(), 'compile-cache')
  await startAndRegister({ NODE_COMPILE_CACHE: folder })
  const kept = () => existsSync(folder) && readdirSync(folder, { recursive: true }).length
  await vi.waitUntil(() => Number(kept()) > 100, { timeout: patientMs })
  await startAndRegister({ NODE_COMPILE_CACHE: folder })
})

test('OPERATING-10 a compile cache that cannot be written does not prevent a start', async () => {
  await startAndRegister({ NODE_COMPILE_CACHE: '/etc/passwd/compile-cache' })
})

test('OPERATING-10 the compile cache is beside the build, else in the data folder, else disabled', () => {
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

/** Script that prints the modules of Node and the CommonJS modules of packages that a start loads. */
const listLoaded = `
  const { createRequire } = await import('node:module')
  const { pino } = await import('pino')
  await import('./server/app.ts')
  const { createHttpServer } = await import('./server/transport/http/http-server.ts')
  const log = pino({ level: 'silent' })
  await (await createHttpServer({ log, report: () => undefined, isSecure: () => false })).ready()
  console.log([...process.moduleLoadList, ...Object.keys(createRequire(import.meta.url).cache)].join('\\n'))`

test('OPERATING-10 a start loads neither fetch nor the schema description and compilation libraries', () => {
  const args = ['--input-type=module', '--eval', listLoaded]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' })
  expect(stdout, stderr).toContain('node_modules/fastify/fastify.js')
  for (const needless of ['undici', 'node_modules/ajv/', 'node_modules/yaml/', 'node_modules/@fastify/swagger/']) {
    expect(stdout).not.toContain(needless)
  }
})
