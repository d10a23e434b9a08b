// Entry point of the npm scripts. It is plain JavaScript without dependencies, so that it also runs on an older Node.
// It installs Node 24 and the packages that the other scripts need, if they are missing, and then runs the script.
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
  test: 'scripts/test/test.ts',
  'test:quick': 'scripts/test/test-quick.ts',
  'test:changed': 'scripts/test/test-changed.ts',
  build: 'scripts/build/ensure-build.ts',
  dev: 'scripts/dev.ts',
  cluster: 'scripts/cluster.ts',
  admin: 'scripts/admin.ts',
  check: 'scripts/check/check.ts',
  docs: 'scripts/docs.ts',
  browsers: 'scripts/browsers.ts',
  faults: 'tests/faults/run.ts',
  restarts: 'tests/cluster/run-restarts.ts',
  simulate: 'tests/simulation/run.ts',
  fuzz: 'tests/security/fuzz.ts',
  attack: 'tests/security/measure.ts',
  mutate: 'scripts/mutate.ts',
  bench: 'bench/run.ts',
  screens: 'scripts/screens.ts',
  lighthouse: 'scripts/lighthouse.ts',
  flood: 'scripts/flood.ts',
}

const [task, ...args] = process.argv.slice(2)
if (!Object.hasOwn(tasks, task)) fail(`'${task}' is not a task; use one of ${Object.keys(tasks).join(', ')}`)

// The user of the service must be able to read the installed files, which contain no secrets.
const ownUmask = process.umask()
process.umask(ownUmask & 0o022)
const node = await ensureNode(root, task === 'build')
await ensureDependencies(root, node)
process.umask(ownUmask)
const nodeFlags = task === 'start' ? [...serverFlags] : []
const cacheVariables = task === 'start' ? compileCache(root) : {}
const launcherArgs = task === 'start' ? [`--launcher=${process.pid}`] : []
run([...nodeFlags, join(root, tasks[task]), ...launcherArgs, ...args])

/**
 * Runs the task in a child process. Forwards the signals that end a process, and exits with the exit code of the child.
 */
function run(nodeArgs) {
  const child = spawn(node, nodeArgs, { cwd: root, stdio: 'inherit', env: { ...environment(node), ...cacheVariables } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal))
  // On SIGUSR1, Node would open its debugger to every user of this machine; on SIGUSR2, the launcher would exit and leave
  // its child running.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined)
  child.on('error', (error) => fail(`cannot run ${node} (${error.message})`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  stopWithNpm(() => child.kill('SIGTERM'))
}

/**
 * Calls `stop` when npm, or the shell that npm started, has been killed. Neither can forward SIGKILL, so the server would
 * keep running. Without npm, this function does nothing: a process in the background of a shell may outlive the shell.
 */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 250)
}
