import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export function say(line: string): void {
  console.error(`chat-room: ${line}`)
}

/** Runs a command with its output shown; answers whether it succeeded. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** Runs a package's command line; its output is shown only when it fails. */
export function runQuietly(name: string, args: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync(bin(name), args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
  return status === 0
}

export function bin(name: string): string {
  return `${root}node_modules/.bin/${name}`
}
