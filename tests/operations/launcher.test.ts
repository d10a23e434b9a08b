import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withFolderLock } from '../../scripts/launch/folder-lock.mjs'
import { createCloneWithBuild, createCloneWithPackages, createFakeNpm } from '../support/clone-project.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

test('START-3 the first `npm start` installs and builds, the second does neither, and both serve the page', async () => {
  const clone = createCloneWithPackages(onTestFinished)
  const npm = createFakeNpm(clone)
  async function start(): Promise<string[]> {
    const server = spawnServer({
      command: [process.execPath, join(clone, 'scripts/launch.mjs'), 'start'],
      cwd: clone,
      env: { npm_execpath: npm, DATA_DIR: join(clone, 'data') },
    })
    const url = await server.opened()
    expect(await (await fetch(url)).text()).toContain('<title>')
    const pid = /"pid":(\d+)/.exec(server.output.stdout)?.[1]
    // The server process must not load the build tools, which would take more memory than the server.
    if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toMatch(/rolldown|tailwind/)
    server.kill('SIGINT')
    expect(await server.exited).toBe(0)
    return server.output.stderr.split('\n').filter((line) => line !== '')
  }
  expect(await start()).toStrictEqual([
    'chat-room: installing dependencies',
    'chat-room: bundling the server',
    'chat-room: building the pages',
  ])
  expect(await start()).toStrictEqual([])
})

test('START-3 one of two concurrent first starts installs and the other waits, also after an earlier start was killed', async () => {
  // The clone is already built, because the test covers only the installation.
  const clone = createCloneWithBuild(onTestFinished)
  const npm = createFakeNpm(clone, 1_500)
  const lock = join(clone, 'node_modules/.preparing')
  // This id is above the largest process id of Linux, so no process has it.
  writeFileSync(lock, '4194305')
  const starts = [0, 1].map(() =>
    spawnServer({
      command: [process.execPath, join(clone, 'scripts/launch.mjs'), 'start'],
      cwd: clone,
      env: { npm_execpath: npm, DATA_DIR: temporaryFolder() },
    }),
  )
  for (const start of starts) {
    await start.opened()
    start.kill('SIGINT')
    expect(await start.exited).toBe(0)
  }
  const lines = starts.flatMap(({ output }) => output.stderr.split('\n'))
  expect(lines.filter((line) => line.includes('installing'))).toHaveLength(1)
  expect(lines.some((line) => line.includes('waiting for another process'))).toBe(true)
  expect(existsSync(lock)).toBe(false)
})

test('START-3 a process that finds a stale lock does not remove the lock that another process acquires at that moment', async () => {
  const folder = temporaryFolder()
  const [lock, read, acquired] = ['.preparing', 'read', 'acquired'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(lock, '4194305')
  // The child reads the stale lock, and then waits until this process has acquired the lock.
  const script = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { readFileSync } = fs
    fs.readFileSync = (path, ...options) => {
      const content = readFileSync(path, ...options)
      if (path !== '${lock}') return content
      fs.writeFileSync('${read}', '')
      while (!fs.existsSync('${acquired}')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      return content
    }
    syncBuiltinESMExports()
    const { withFolderLock } = await import('${new URL('../../scripts/launch/folder-lock.mjs', import.meta.url)}')
    await withFolderLock('${folder}', () => console.log('second has the lock'))`
  const second = spawnServer({ command: [process.execPath, '--input-type=module', '--eval', script] })
  await expect.poll(() => existsSync(read)).toBe(true)
  await withFolderLock(folder, async () => {
    writeFileSync(acquired, '')
    await expect.poll(() => second.output.stderr).toContain('waiting for another process')
    expect(readFileSync(lock, 'utf8')).toBe(`${process.pid}`)
    expect(second.output.stdout).toBe('')
  })
  expect(await second.exited).toBe(0)
  expect(second.output.stdout).toContain('second has the lock')
  expect(readdirSync(folder).toSorted()).toStrictEqual(['acquired', 'read'])
})
