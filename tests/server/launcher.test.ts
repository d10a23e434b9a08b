import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, spawnServer, temporaryFolder } from './spawn-server.ts'

/** A clone of its own, so that neither what is edited nor what is built here and now matters. */
function cloneProject(): string {
  const clone = temporaryFolder()
  for (const name of [
    'contract',
    'server',
    'web',
    'scripts',
    'package.json',
    'package-lock.json',
    'tsconfig.base.json',
    'vite.config.ts',
  ]) {
    cpSync(join(projectRoot, name), join(clone, name), { recursive: true })
  }
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    if (name !== '.installed') symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name))
  }
  return clone
}

test('START-3 the first `npm start` installs and builds, the second neither, and both open the room', async () => {
  const clone = cloneProject()
  // What npm would fetch is already there: that it is called, and when, is the question.
  const npm = join(clone, 'npm-cli.cjs')
  writeFileSync(npm, 'if (process.argv[2] !== "install") process.exit(1)')
  async function start(): Promise<string[]> {
    const server = spawnServer({
      command: [process.execPath, join(clone, 'scripts/launch.mjs'), 'start'],
      cwd: clone,
      env: { npm_execpath: npm, DATA_DIR: join(clone, 'data') },
    })
    const url = await server.opened()
    expect(await (await fetch(url)).text()).toContain('<title>')
    server.kill('SIGINT')
    expect(await server.exited).toBe(0)
    return server.output.stderr.split('\n').filter((line) => line !== '')
  }
  expect(await start()).toStrictEqual(['chat-room: installing dependencies', 'chat-room: building the pages'])
  expect(await start()).toStrictEqual([])
})
