import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export function logLine(line: string): void {
  console.error(`chat-room: ${line}`)
}

/** Runs a command and shows its output. Resolves to whether it succeeded. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    })
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
}

/**
 * Runs a command and shows its output when it ends, so that the output does not mix with that of another command.
 * Resolves to whether the command succeeded.
 */
export function runAndShowLater(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: Infinity, env: { ...process.env, ...env } } as const
    execFile(command, args, options, (error, stdout, stderr) => {
      process.stdout.write(stdout)
      process.stderr.write(stderr)
      resolve(error === null)
    })
  })
}

/** Runs the command of an installed package. Shows its output only if it fails. Resolves to whether it succeeded. */
export function runQuietly(name: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(bin(name), args, { cwd: root, encoding: 'utf8', maxBuffer: Infinity }, (error, stdout, stderr) => {
      if (error !== null) process.stderr.write(`${stdout}${stderr}`)
      resolve(error === null)
    })
  })
}

export function bin(name: string): string {
  return `${root}node_modules/.bin/${name}`
}
