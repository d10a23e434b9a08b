import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { apiDescriptionPath, routes } from '../../contract/routes.ts'
import { compileCache } from '../../scripts/server-flags.mjs'
import { createBuiltClone } from '../support/clone-project.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const patientMs = 30_000

test('OPERATING-10 a start after a change of a source runs a new bundle of the server and does not build the pages', async () => {
  const clone = createBuiltClone(onTestFinished)
  const bundles = join(clone, 'dist/server')
  appendFileSync(join(clone, 'server/main.ts'), "console.log('second version in', import.meta.dirname)\n")
  const earlier = readdirSync(bundles)
  const server = spawnServer({
    command: [process.execPath, join(clone, 'scripts/launch.mjs'), 'start'],
    cwd: clone,
    env: { DATA_DIR: join(clone, 'data') },
  })
  const url = await server.opened()
  const [added = 'no new bundle'] = readdirSync(bundles).filter((name) => !earlier.includes(name))
  expect(server.output.stdout).toContain(`second version in ${join(bundles, added)}\n`)
  expect(server.output.stderr).toBe('chat-room: bundling the server\n')
  for (const path of [routes.room, apiDescriptionPath]) expect((await fetch(url + path)).status).toBe(200)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})

/** Starts a server and registers a user. */
async function startAndRegister(env: NodeJS.ProcessEnv): Promise<void> {
  const server = spawnServer({ env: { DATA_DIR: temporaryFolder(), ...env } })
  const url = await server.opened()
  const body = JSON.stringify({ name: 'alice', email: 'alice@example.org', password: 'secret' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url + routes.register, { method: 'POST', headers, body })).status).toBe(201)
}

test('OPERATING-10 the compile cache is kept for the next start, also when the process is killed', async () => {
  const folder = join(temporaryFolder(), 'compile-cache')
  await startAndRegister({ NODE_COMPILE_CACHE: folder })
  const kept = () => existsSync(folder) && readdirSync(folder, { recursive: true }).length
  await vi.waitUntil(() => Number(kept()) > 20, { timeout: patientMs })
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
