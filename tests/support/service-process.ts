import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { processTree } from './process-tree.ts'

/** A program like these is there within a second; the rest is for a machine that does ten other things. */
const readyTimeoutMs = 60_000
const pollIntervalMs = 25

export interface ServiceOptions {
  command: readonly [string, ...string[]]
  /** What it writes once it takes connections, or how to find out. */
  ready: RegExp | (() => Promise<boolean>)
  /** Who runs it; this process's own user unless told. */
  user?: string
  /** What it is sent when this process dies without a word. */
  parentDeathSignal?: 'KILL' | 'TERM' | 'QUIT'
  env?: NodeJS.ProcessEnv
  cwd?: string
  onOutput?: (text: string) => void
}

/** A program that tests stop, continue, kill and start again, over any number of lives. */
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
      // A group of its own: Ctrl-C in a terminal is for whoever started this, who ends it in order.
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
        ready.reject(new Error(`${options.command[0]} ended while it started:\n${output}`))
        resolve(signal ?? `code ${code}`)
      })
    })
    const tooLate = setTimeout(
      () => ready.reject(new Error(`${options.command[0]} is not ready:\n${output}`)),
      readyTimeoutMs,
    )
    if (!(options.ready instanceof RegExp)) void pollUntilReady(options.ready).then(ready.resolve, ready.reject)
    await ready.promise.finally(() => clearTimeout(tooLate))
  }

  async function pollUntilReady(isReady: () => Promise<boolean>): Promise<void> {
    while (child !== null && !(await isReady())) await pause(pollIntervalMs)
  }

  /** Itself and whatever it started: PostgreSQL's workers and nginx's are processes of their own. */
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
    /** Takes connections and answers nothing, as a machine does that hangs. */
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    /** All of it at once, as when the power goes. */
    async kill(): Promise<void> {
      signalAll('SIGKILL')
      await exited
    },
    /** An orderly end. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
      child?.kill(signal)
      return exited
    },
    signal: (signal: NodeJS.Signals) => child?.kill(signal),
    /** Resolves with how it ended. */
    ended: () => exited,
  }
}

const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0

/** The kernel ends the program when we die: a killed test leaves no database behind. */
function wrapCommand({ command, user, parentDeathSignal = 'KILL' }: ServiceOptions): readonly [string, ...string[]] {
  if (!hasSetpriv) return command
  const asUser = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups']
  return ['setpriv', ...asUser, `--pdeathsig=${parentDeathSignal}`, '--', ...command]
}
