import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { projectRoot } from './project-root.ts'
import { serverEntry } from './server-entry.ts'
import { showLogOnFailure } from './server-log.ts'

export { temporaryFolder } from './temporary-folder.ts'

// This function is never called: Vitest follows its import to find the tests that a change of the server affects
// (`--changed`).
void (() => import('../../server/main.ts'))

const openLine = /"url":"http:\/\/[^"]+:(\d+)","msg":"Chat Room is open"/

interface SpawnOptions {
  env?: NodeJS.ProcessEnv
  command?: readonly string[]
  /** Command prefix, for example `setpriv` and its options. */
  wrapper?: readonly string[]
  cwd?: string
  /** Whether the server runs in its own process group, as in a terminal. */
  ownGroup?: boolean
  stdout?: 'pipe' | number
}

/** Starts the server in its own process and kills it after the test. */
export function spawnServer({
  env = {},
  command = [process.execPath, serverEntry],
  wrapper = [],
  cwd = projectRoot,
  ownGroup = false,
  stdout = 'pipe',
}: SpawnOptions = {}) {
  const [program = '', ...args] = [...wrapper, ...command]
  const child = spawn(program, args, {
    cwd,
    env: { ...cleanEnvironment(), PORT: '0', ...env },
    stdio: ['ignore', stdout, 'pipe'],
    detached: ownGroup,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  showLogOnFailure(() => output.stderr + output.stdout)
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const exited = waitForExit(child)

  /** Resolves to the URL when the server is open. Rejects if the server exits before that. */
  async function opened(): Promise<string> {
    const port = await new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = openLine.exec(output.stdout)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout?.on('data', look)
      look()
      exited.then(() => reject(new Error(`the server did not open: ${output.stderr}${output.stdout}`)), reject)
    })
    return `http://127.0.0.1:${port}`
  }

  return { output, exited, opened, pid: child.pid ?? 0, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

/** Resolves when the process has exited and all its output has been read. */
function waitForExit(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve(code ?? signal))
    // When the process cannot be started, Node emits `error` before `close`.
    child.once('error', reject)
  })
}

/**
 * Returns the few variables that the server inherits, without settings of the server and variables of the test runner.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const given = { TMPDIR, NODE_COMPILE_CACHE }
  return { PATH, HOME, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}
