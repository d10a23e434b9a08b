import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { projectRoot } from './project-root.ts'
import { showLogOnFailure } from './server-log.ts'

export { temporaryFolder } from './temporary-folder.ts'

// Never called: Vitest follows this import to find the tests that a change of the server affects (`--changed`).
void (() => import('../../server/main.ts'))

const openLine = /Chat Room is open at http:\/\/localhost:(\d+)/

interface SpawnOptions {
  env?: NodeJS.ProcessEnv
  command?: readonly string[]
  /** Runs the command in its own way: 'setpriv', its options. */
  wrapper?: readonly string[]
  cwd?: string
  /** A process group of its own, as a terminal gives to what it runs. */
  ownGroup?: boolean
  stdout?: 'pipe' | number
}

/** The server as a process of its own, as a person starts it; killed when the test is done. */
export function spawnServer({
  env = {},
  command = [process.execPath, join(projectRoot, 'server/main.ts')],
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

  /** Resolves with the server's address once it is open; rejects when it ends instead. */
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

/** Resolves when the process has ended and all that it wrote has been read. */
function waitForExit(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve(code ?? signal))
    // It could not even be started: no `close` follows.
    child.once('error', reject)
  })
}

/** Without the settings and the test runner's own variables: they are not what a person has. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const given = { TMPDIR, NODE_COMPILE_CACHE }
  return { PATH, HOME, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}
