import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
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
import { createClone, createBuiltClone } from '../support/clone-project.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const isRoot = process.getuid?.() === 0
const nobodyUid = 65_534

/** Entries of devDependencies that the build needs. */
const buildPackages = ['vite', '@vitejs/plugin-react', '@tailwindcss/vite', 'tailwindcss']

/** Removes the packages of the tests and the checks from a clone: npm takes most of a minute to install them. */
function removeTestPackages(clone: string): void {
  const file = join(clone, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: Record<string, string> }
  const kept = Object.entries(manifest.devDependencies).filter(([name]) => buildPackages.includes(name))
  writeFileSync(file, JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(kept) }))
}

function run(clone: string, args: string[], env: Record<string, string> = {}) {
  // The build must be readable by the service user despite a strict umask.
  const command = ['-c', 'umask 077 && exec npm "$@"', 'npm', ...args]
  return spawnSync('sh', command, { cwd: clone, env: { ...process.env, ...env }, encoding: 'utf8' })
}

/** Starts the server as a service would: as another user without a home, with the folder read-only. */
function startAsService(clone: string) {
  chmodSync(clone, 0o755)
  const dataDir = temporaryFolder()
  chownSync(dataDir, nobodyUid, nobodyUid)
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0"'
  const asServiceUser = `exec setpriv --reuid=${nobodyUid} --regid=${nobodyUid} --clear-groups npm start`
  return spawnServer({
    command: ['unshare', '--mount', 'sh', '-c', `${readOnly} && ${asServiceUser}`, clone],
    cwd: '/',
    env: { DATA_DIR: dataDir, HOME: '/nonexistent' },
  })
}

test.skipIf(!isRoot)(
  'OPERATING-7 after `npm run build` by root with NODE_ENV=production a service user can start from a read-only folder',
  async () => {
    const clone = createClone(onTestFinished)
    removeTestPackages(clone)
    const env = { NODE_ENV: 'production', npm_config_omit: 'dev', npm_config_prefer_offline: 'true' }
    const { status, stderr } = run(clone, ['run', 'build'], env)
    expect(status, stderr).toBe(0)
    expect(existsSync(join(clone, 'node_modules/vite/package.json'))).toBe(true)

    const service = startAsService(clone)
    const url = await service.opened()
    expect((await fetch(url + probes.ready)).status).toBe(200)
    expect(service.output.stderr).not.toMatch(/installing|building/)
    service.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  },
  300_000,
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
