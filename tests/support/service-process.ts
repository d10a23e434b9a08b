import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { processTree } from './process-tree.ts'

/** Timeout of a start. These programs start within one second on an idle machine. */
const readyTimeoutMs = 60_000
const pollIntervalMs = 25

export interface ServiceOptions {
  command: readonly [string, ...string[]]
  /** Output, or a check, that shows that the program is ready. */
  ready: RegExp | (() => Promise<boolean>)
  /** User that runs the program; the current user by default. */
  user?: string
  /** Signal that the kernel sends to the program when this process dies. */
  parentDeathSignal?: 'KILL' | 'TERM' | 'QUIT'
  env?: NodeJS.ProcessEnv
  cwd?: string
  onOutput?: (text: string) => void
}

/** Creates a program that tests can start, pause, resume, stop and kill repeatedly. */
export function createServiceProcess(options: ServiceOptions) {
  const { env = {}, cwd, onOutput } = options
  const [program, ...args] = wrapCommand(options)
  let child: ChildProcess | null = null
  let exited: Promise<string> = Promise.resolve('never started')
  let output = ''

  async function start(): Promise<void> {
    if (child !== null) throw new Error(`${options.command[0]} is running`)
    output = ''
    const spawned = spawn(program, args, {
      // The program has its own process group, so that Ctrl-C reaches only the parent, which stops its programs in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', ...env },
      cwd,
    })
    child = spawned
    const ready = Promise.withResolvers<void>()
    for (const stream of [spawned.stdout, spawned.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-4_000)
        if (options.ready instanceof RegExp && options.ready.test(output)) ready.resolve()
        onOutput?.(text)
      })
    }
    spawned.once('error', ready.reject)
    exited = new Promise((resolve) => {
      spawned.once('close', (code, signal) => {
        if (child === spawned) child = null
        ready.reject(new Error(`${options.command[0]} exited during its start:\n${output}`))
        resolve(signal ?? `code ${code}`)
      })
    })
    const timeout = setTimeout(
      () => ready.reject(new Error(`${options.command[0]} is not ready:\n${output}`)),
      readyTimeoutMs,
    )
    if (!(options.ready instanceof RegExp)) void pollUntilReady(options.ready).then(ready.resolve, ready.reject)
    await ready.promise.finally(() => clearTimeout(timeout))
  }

  async function pollUntilReady(isReady: () => Promise<boolean>): Promise<void> {
    while (child !== null && !(await isReady())) await pause(pollIntervalMs)
  }

  /** Signals the program and its descendants, such as the workers of PostgreSQL and nginx. */
  function signalAll(signal: NodeJS.Signals): void {
    if (child?.pid === undefined) return
    for (const { pid } of processTree(child.pid)) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  return {
    start,
    running: () => child !== null,
    pid: () => child?.pid ?? null,
    output: () => output,
    /** Stops the processes with SIGSTOP. The kernel still accepts connections. */
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    /** Kills all processes at once, as a power failure does. */
    async kill(): Promise<void> {
      signalAll('SIGKILL')
      await exited
    },
    /** Stops the program gracefully. Resolves to its exit code or signal. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
      child?.kill(signal)
      return exited
    },
    signal: (signal: NodeJS.Signals) => child?.kill(signal),
    /** Resolves to the exit code or signal. */
    ended: () => exited,
  }
}

const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0

/**
 * Wraps the command so that the kernel signals the program when this process dies, and no database keeps running.
 * Without `setpriv`, returns the command unchanged.
 */
function wrapCommand({ command, user, parentDeathSignal = 'KILL' }: ServiceOptions): readonly [string, ...string[]] {
  if (!hasSetpriv) return command
  const asUser = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups']
  return ['setpriv', ...asUser, `--pdeathsig=${parentDeathSignal}`, '--', ...command]
}
