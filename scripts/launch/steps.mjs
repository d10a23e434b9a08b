import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname } from 'node:path'

export function logLine(line) {
  console.error(`chat-room: ${line}`)
}

export function fail(line) {
  logLine(line)
  process.exit(1)
}

/** Logs that this user cannot write to the folder and that its owner can run `npm run build`, and exits. */
export function failUnwritable(what, error) {
  fail(`${what} cannot be installed (${error.message}); run npm run build as the owner of this folder`)
}

export const isUnwritable = ({ code }) => ['EACCES', 'EPERM', 'EROFS'].includes(code)

export function environment(nodeBinary) {
  return { ...process.env, PATH: `${dirname(nodeBinary)}${delimiter}${process.env.PATH}` }
}

/** Variables that can make npm omit packages. The build needs all packages. */
const omittingVariables = [
  'NODE_ENV',
  'npm_config_omit',
  'npm_config_only',
  'npm_config_production',
  'npm_config_include',
]

/**
 * Runs npm with the given Node, so that npm chooses packages for that version. Resolves to the output of npm and whether
 * npm succeeded. On a signal, forwards the signal to npm and exits.
 */
export function npm(npmArgs, nodeBinary, cwd) {
  const cli = process.env.npm_execpath
  const [command, ...rest] = cli ? [nodeBinary, cli, ...npmArgs] : ['npm', ...npmArgs]
  const env = environment(nodeBinary)
  for (const name of omittingVariables) delete env[name]
  return new Promise((resolve) => {
    const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const onSignal = (signal) => {
      child.kill(signal)
      process.exit(128 + constants.signals[signal])
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, onSignal)
    const done = (hasSucceeded) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.off(signal, onSignal)
      resolve({ hasSucceeded, output })
    }
    child.on('error', (error) => {
      output += error.message
      done(false)
    })
    child.on('close', (code) => done(code === 0))
  })
}
