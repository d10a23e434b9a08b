import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname } from 'node:path'

export function say(line) {
  console.error(`chat-room: ${line}`)
}

export function fail(line) {
  say(line)
  process.exit(1)
}

/** Somebody prepared this folder for others to start from: it is to be prepared again by whoever may write to it. */
export function failUnwritable(what, error) {
  fail(`${what}, and that cannot be done here (${error.message}); run npm run build as the owner of this folder`)
}

export const isUnwritable = ({ code }) => ['EACCES', 'EPERM', 'EROFS'].includes(code)

export function environment(nodeBinary) {
  return { ...process.env, PATH: `${dirname(nodeBinary)}${delimiter}${process.env.PATH}` }
}

/** Settings that leave out packages; what builds the pages is needed wherever they are built. */
const leavingOut = ['NODE_ENV', 'npm_config_omit', 'npm_config_only', 'npm_config_production', 'npm_config_include']

/**
 * Runs npm on the Node that the rest will use, so that packages are chosen for that one. Answers what it wrote, and
 * whether it succeeded. A signal meanwhile ends npm too.
 */
export function npm(npmArgs, nodeBinary, cwd) {
  const cli = process.env.npm_execpath
  const [command, ...rest] = cli ? [nodeBinary, cli, ...npmArgs] : ['npm', ...npmArgs]
  const env = environment(nodeBinary)
  for (const name of leavingOut) delete env[name]
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
    const done = (isFine) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.off(signal, onSignal)
      resolve({ isFine, output })
    }
    child.on('error', (error) => {
      output += error.message
      done(false)
    })
    child.on('close', (code) => done(code === 0))
  })
}
