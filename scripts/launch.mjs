// The one entry behind every npm script. Plain JavaScript without dependencies: it runs on whatever Node is installed,
// and brings what the rest needs.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDependencies } from './launch/dependencies.mjs'
import { ensureNode } from './launch/runtime.mjs'
import { environment, fail } from './launch/steps.mjs'
import { compileCache, serverFlags } from './server-flags.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const tasks = {
  start: 'scripts/start.ts',
  test: 'scripts/test.ts',
  'test:quick': 'scripts/test-quick.ts',
  'test:changed': 'scripts/test-changed.ts',
  build: 'scripts/ensure-build.ts',
  dev: 'scripts/dev.ts',
  cluster: 'scripts/cluster.ts',
  check: 'scripts/check.ts',
  docs: 'scripts/docs.ts',
  browsers: 'scripts/browsers.ts',
  faults: 'tests/faults/run.ts',
  simulate: 'tests/simulation/run.ts',
  fuzz: 'tests/security/fuzz.ts',
  attack: 'tests/security/measure.ts',
  bench: 'bench/run.ts',
  screens: 'scripts/screens.ts',
  lighthouse: 'scripts/lighthouse.ts',
}

const [task, ...args] = process.argv.slice(2)
if (!Object.hasOwn(tasks, task)) fail(`unknown task '${task}'; one of ${Object.keys(tasks).join(', ')}`)

// What is fetched, installed and built holds no secret, and whoever the service runs as must be able to read it.
const ownUmask = process.umask()
process.umask(ownUmask & 0o022)
const node = await ensureNode(root, task === 'build')
await ensureDependencies(root, node)
process.umask(ownUmask)
const ofTheServer = task === 'start' ? [...serverFlags] : []
const cached = task === 'start' ? compileCache(root) : {}
const fromUs = task === 'start' ? [`--launcher=${process.pid}`] : []
run([...ofTheServer, join(root, tasks[task]), ...fromUs, ...args])

/** The task takes this process's place: signals go on to it, and its end is ours. */
function run(nodeArgs) {
  const child = spawn(node, nodeArgs, { cwd: root, stdio: 'inherit', env: { ...environment(node), ...cached } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal))
  // By the first Node would open its debugger to everybody on this machine, by the second end without the server.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined)
  child.on('error', (error) => fail(`cannot run ${node} (${error.message})`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  endWithNpm(() => child.kill('SIGTERM'))
}

/**
 * A killed npm, or a shell of its that was killed, tells nobody: without this the server would stay behind with its port.
 * Only under npm: whoever starts this in the background of a shell may leave that shell.
 */
function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    end()
  }, 250)
}
