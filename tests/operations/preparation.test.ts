import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { probes } from '../../contract/routes.ts'
import { createBuiltClone, createCloneWithPackages, markAsInstalled } from '../support/clone-project.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const isRoot = process.getuid?.() === 0
const nobodyUid = 65_534

/** Runs `npm run build` in production, with a umask that hides new files from other users. */
function runBuild(folder: string) {
  const env = { ...process.env, NODE_ENV: 'production', npm_config_omit: 'dev' }
  return spawnSync('sh', ['-c', 'umask 077 && exec npm run build'], { cwd: folder, env, encoding: 'utf8' })
}

/** Starts the server as a service would: as another user without a home folder, with the clone read-only. */
function startAsService(clone: string) {
  chmodSync(clone, 0o755)
  const dataDir = temporaryFolder()
  chownSync(dataDir, nobodyUid, nobodyUid)
  const packages = join(clone, 'node_modules')
  // The packages of the clone are links into this project, which another user may not be able to read.
  const steps = [
    `mount --bind '${clone}' '${clone}'`,
    `mount --bind '${join(projectRoot, 'node_modules')}' '${packages}'`,
    `mount -o remount,bind,ro '${packages}'`,
    `mount -o remount,bind,ro '${clone}'`,
    `cd '${clone}'`,
    `exec setpriv --reuid=${nobodyUid} --regid=${nobodyUid} --clear-groups npm start`,
  ]
  return spawnServer({
    command: ['unshare', '--mount', 'sh', '-c', steps.join(' && ')],
    cwd: '/',
    env: { DATA_DIR: dataDir, HOME: '/nonexistent' },
  })
}

/**
 * Creates a small project with the launcher, one dependency and one devDependency, both as archives. npm would take a
 * minute to install the packages of this project. The build of the small project only prints a line.
 */
function createSmallProject(): string {
  const folder = temporaryFolder()
  for (const path of ['scripts/launch.mjs', 'scripts/launch', 'scripts/server-flags.mjs', '.npmrc'])
    cpSync(join(projectRoot, path), join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'scripts/build'))
  writeFileSync(join(folder, 'scripts/build/ensure-build.ts'), "console.log('the build runs')\n")
  const archives = Object.fromEntries(['library', 'tool'].map((name) => [name, `file:${createArchive(folder, name)}`]))
  const { library = '', tool = '' } = archives
  const dependencies = { dependencies: { library }, devDependencies: { tool } }
  const packages = {
    '': dependencies,
    'node_modules/library': { version: '1.0.0', resolved: library },
    'node_modules/tool': { version: '1.0.0', resolved: tool, dev: true },
  }
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: object }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts, ...dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
  return folder
}

/** Creates the archive of a package in the folder and returns its name. */
function createArchive(folder: string, name: string): string {
  const contents = temporaryFolder()
  mkdirSync(join(contents, 'package'))
  writeFileSync(join(contents, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }))
  const archive = `${name}-1.0.0.tgz`
  const { status, stderr } = spawnSync('tar', ['-czf', join(folder, archive), '-C', contents, 'package'])
  expect(status, String(stderr)).toBe(0)
  return archive
}

test('OPERATING-7 `npm run build` with NODE_ENV=production and omitted devDependencies installs all packages, readable by every user', () => {
  const folder = createSmallProject()
  const { status, stdout, stderr } = runBuild(folder)
  expect(status, stderr).toBe(0)
  expect(stderr).toContain('installing dependencies')
  expect(stdout).toContain('the build runs')
  for (const name of ['library', 'tool']) {
    const installed = join(folder, 'node_modules', name)
    expect(statSync(installed).mode & 0o005).toBe(0o005)
    expect(statSync(join(installed, 'package.json')).mode & 0o004).toBe(0o004)
  }
  expect(statSync(join(folder, 'node_modules')).mode & 0o005).toBe(0o005)
})

test.skipIf(!isRoot)(
  'OPERATING-7 after `npm run build` by root with NODE_ENV=production a service user can start from a read-only folder',
  async () => {
    const clone = createCloneWithPackages(onTestFinished)
    markAsInstalled(clone)
    const { status, stderr } = runBuild(clone)
    expect(status, stderr).toBe(0)
    expect(stderr).toContain('building the pages')

    const service = startAsService(clone)
    const url = await service.opened()
    expect((await fetch(url + probes.ready)).status).toBe(200)
    expect(service.output.stderr).not.toMatch(/installing|building/)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  },
  120_000,
)

test.skipIf(!isRoot)(
  'OPERATING-7 with sources newer than the build and a read-only folder, the start fails with one line of advice and no stack',
  async () => {
    const clone = createBuiltClone(onTestFinished)
    appendFileSync(join(clone, 'web/app/main.tsx'), '\n')
    // Run the start as root: the packages are links into node_modules of this project, which another user may not be able to read.
    const { status, stderr } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec npm start`, clone],
      { cwd: clone, encoding: 'utf8', env: { ...process.env, PORT: '0', DATA_DIR: temporaryFolder() } },
    )
    expect(status).toBe(1)
    expect(stderr).toContain('run npm run build as the owner of this folder')
    expect(stderr).not.toMatch(/^\s+at /m)
  },
  120_000,
)

test('OPERATING-7 an incomplete installation is repaired and marked complete only afterwards', () => {
  const clone = createBuiltClone(onTestFinished)
  const packages = join(clone, 'node_modules')
  const stamp = join(packages, '.installed')
  const launch = () => {
    const launcher = join(clone, 'scripts/launch.mjs')
    const env = { ...process.env, npm_execpath: join(clone, 'npm-cli.cjs') }
    return spawnSync(process.execPath, [launcher, 'admin', '--help'], { env, encoding: 'utf8' })
  }
  rmSync(join(packages, 'vite'))
  const failed = launch()
  expect(failed.status).toBe(1)
  expect(failed.stderr).toContain('npm install did not install vite')
  expect(existsSync(stamp)).toBe(false)

  const restore = `require('node:fs').symlinkSync('${projectRoot}node_modules/vite', '${packages}/vite')`
  writeFileSync(join(clone, 'npm-cli.cjs'), restore)
  const repaired = launch()
  expect(repaired.stderr).toContain('installing dependencies')
  expect(repaired.status).toBe(0)
  expect(existsSync(stamp)).toBe(true)
})

test('OPERATING-7 a build updates .runtime within its major version; offline it stays unchanged', () => {
  const root = temporaryFolder()
  const runtime = join(root, '.runtime')
  const npm = join(root, 'npm-cli.cjs')
  function ensureNode(lookForUpdate: boolean) {
    const script = `import { ensureNode } from ${JSON.stringify(join(projectRoot, 'scripts/launch/runtime.mjs'))}
      console.log(await ensureNode(${JSON.stringify(root)}, ${lookForUpdate}, '20.0.0'))`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, npm_execpath: npm },
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    expect(stdout.trim()).toBe(join(runtime, 'bin/node'))
    return stderr
  }
  // Replace npm by a script that links the current Node binary instead of downloading one.
  writeFileSync(
    npm,
    `const { mkdirSync, symlinkSync } = require('node:fs')
     const args = process.argv.slice(2)
     if (args[0] === 'view') console.log(JSON.stringify(['24.0.0', '24.99.0']))
     else {
       const name = args.at(-1).split('@')[0]
       const bin = args[args.indexOf('--prefix') + 1] + '/node_modules/' + name + '/bin'
       mkdirSync(bin, { recursive: true })
       symlinkSync(process.execPath, bin + '/node')
     }`,
  )
  expect(ensureNode(false)).toContain('downloading Node 24 into .runtime')
  const first = readlinkSync(join(runtime, 'bin'))
  const mayOthersEnter = (statSync(join(runtime, first.split('/')[0] ?? '')).mode & 0o555) === 0o555
  expect(mayOthersEnter).toBe(true)
  expect(ensureNode(false)).toBe('')
  expect(readlinkSync(join(runtime, 'bin'))).toBe(first)
  expect(ensureNode(true)).toMatch(/updating Node \S+ to 24\.99\.0/)
  const second = readlinkSync(join(runtime, 'bin'))
  expect(second).not.toBe(first)
  expect(readdirSync(runtime).toSorted()).toStrictEqual(['bin', second.split('/')[0]].toSorted())

  writeFileSync(npm, 'process.exit(1)')
  expect(ensureNode(true)).toContain('continuing with')
  expect(readlinkSync(join(runtime, 'bin'))).toBe(second)
})
