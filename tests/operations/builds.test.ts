import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { keptEarlierBuilds } from '../../server/transport/http/pages/built-pages.ts'
import { build, changeSources, startBuild } from '../support/build-in-clone.ts'
import { createCloneWithBuild } from '../support/clone-project.ts'
import { spawnServer } from '../support/spawn-server.ts'

const buildsTimeoutMs = 240_000

function openServer(clone: string) {
  return spawnServer({
    command: [process.execPath, join(clone, 'server/main.ts')],
    cwd: clone,
    env: { DATA_DIR: join(clone, 'data') },
  })
}

async function pageOf(url: string): Promise<string> {
  const response = await fetch(url + routes.room)
  expect(response.status).toBe(200)
  return response.text()
}

const assetsOf = (page: string) =>
  [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '')

async function statusesOf(url: string, paths: string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await fetch(url + path)).status))
}

const allOk = (paths: string[]) => paths.map(() => 200)
const current = (clone: string) => readFileSync(join(clone, 'dist/current'), 'utf8')
const buildsIn = (clone: string) => readdirSync(join(clone, 'dist/builds'))

test('OPERATING-3 a killed build changes nothing', async () => {
  const clone = createCloneWithBuild(onTestFinished)
  const first = current(clone)
  const killed = startBuild(clone)
  await expect.poll(() => buildsIn(clone).some((name) => name.startsWith('unfinished-'))).toBe(true)
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBe('SIGKILL')
  expect(current(clone)).toBe(first)
  const server = openServer(clone)
  const url = await server.opened()
  const assets = assetsOf(await pageOf(url))
  expect(await statusesOf(url, assets)).toStrictEqual(allOk(assets))
})

/** Module that kills the build before its first rename. */
const killAtRename = `data:text/javascript,${encodeURIComponent(`
  import { promises } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  promises.rename = () => process.kill(process.pid, 'SIGKILL')
  syncBuiltinESMExports()`)}`

test('OPERATING-3 a killed build publishes no bundle of the server; the next build keeps the newest bundles', async () => {
  const clone = createCloneWithBuild(onTestFinished)
  const bundles = join(clone, 'dist/server')
  const [first = ''] = readdirSync(bundles)
  // The bundles are listed newest first and are older than the first build. A killed build left `unfinished-killed`.
  const earlier = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(32))
  for (const [index, name] of [...earlier, 'unfinished-killed'].entries()) {
    mkdirSync(join(bundles, name))
    const modifiedAt = new Date(1_700_000_000_000 - index)
    utimesSync(join(bundles, name), modifiedAt, modifiedAt)
  }
  appendFileSync(join(clone, 'server/main.ts'), '\n')
  const before = readdirSync(bundles)
  expect(await startBuild(clone, { nodeFlags: ['--import', killAtRename] }).ended).toBe('SIGKILL')
  const added = readdirSync(bundles).filter((name) => !before.includes(name))
  expect(added).toStrictEqual([expect.stringMatching(/^unfinished-/)])

  // No source of the pages has changed, so the next build makes only the bundle of the server.
  await build(clone, { onlyMissing: true })
  const [built = ''] = readdirSync(bundles).filter((name) => ![...before, ...added].includes(name))
  expect(built).toMatch(/^[0-9a-f]{32}$/)
  const kept = [built, first, ...earlier.slice(0, keptEarlierBuilds - 1), ...added]
  expect(readdirSync(bundles).toSorted()).toStrictEqual(kept.toSorted())
})

test(
  'OPERATING-3 a running server serves its own build while two other builds complete, which evict none of the newest builds; the next server serves the assets of the old and the new build',
  async () => {
    const clone = createCloneWithBuild(onTestFinished)
    const builds = join(clone, 'dist/builds')
    // The builds are listed newest first. For each build in `earlier`, `older` has an older build from the same sources.
    const sources = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(32))
    const earlier = sources.map((source, index) => `${1_700_000_000_900 - index}-${source}`)
    const older = sources.map((source, index) => `${1_700_000_000_800 - index}-${source}`)
    for (const name of [...earlier, ...older]) mkdirSync(join(builds, name))
    const first = current(clone)
    const before = openServer(clone)
    const url = await before.opened()
    const oldPage = await pageOf(url)
    const oldAssets = assetsOf(oldPage)
    expect(oldAssets.length).toBeGreaterThan(2)

    // Run two builds of the same sources at the same time.
    changeSources(clone, 'second')
    let building = true
    const ended = Promise.all([startBuild(clone).ended, startBuild(clone).ended]).finally(() => (building = false))
    while (building) {
      expect(await pageOf(url)).toBe(oldPage)
      expect(await statusesOf(url, oldAssets)).toStrictEqual(allOk(oldAssets))
      await sleep(50)
    }
    expect(await ended).toStrictEqual([0, 0])
    expect(await pageOf(url)).toBe(oldPage)
    expect(await statusesOf(url, oldAssets)).toStrictEqual(allOk(oldAssets))
    before.kill('SIGTERM')
    expect(await before.exited).toBe(0)
    expect(existsSync(join(builds, current(clone), 'index.html'))).toBe(true)
    const kept = [current(clone), first, ...earlier.slice(0, keptEarlierBuilds - 1)]
    expect(buildsIn(clone).toSorted()).toStrictEqual(kept.toSorted())

    const after = openServer(clone)
    const newUrl = await after.opened()
    const newPage = await pageOf(newUrl)
    const newAssets = assetsOf(newPage)
    expect(newAssets).not.toStrictEqual(oldAssets)
    const both = [...newAssets, ...oldAssets]
    expect(await statusesOf(newUrl, both)).toStrictEqual(allOk(both))
  },
  buildsTimeoutMs,
)
