import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const benchFolder = dirname(fileURLToPath(import.meta.url))

/** npm as it was called, or the one beside Node, or the one on the path. */
function npmCommand(): string[] {
  const called = process.env['npm_execpath']
  return called !== undefined && existsSync(called) ? [process.execPath, called] : ['npm']
}

/** The bench's own packages: they are large, and the application does not need them. */
export function installPackages(): void {
  if (existsSync(join(benchFolder, 'node_modules/socket.io'))) return
  console.log('Installing the packages of the bench and its peers into bench/node_modules …')
  const [program = 'npm', ...args] = npmCommand()
  // No package here needs an install script: the binaries come as packages of their own.
  const done = spawnSync(program, [...args, 'ci', '--ignore-scripts'], { cwd: benchFolder, stdio: 'inherit' })
  if (done.status !== 0) throw new Error('The packages of the bench could not be installed (npm ci in bench/)')
}

function isInstalled(debianPackage: string): boolean {
  const query = spawnSync('dpkg-query', ['-W', '-f=${Status}', debianPackage], { encoding: 'utf8' })
  return query.status === 0 && query.stdout.includes('install ok installed')
}

/** Installs what is missing where the user may; whoever may not is told which peers will be left out. */
export function installDebianPackages(names: string[]): void {
  const missing = [...new Set(names)].filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Not installed, and this user cannot install them: ${missing.join(', ')}. Their peers are left out.`)
    return
  }
  console.log(`Installing the Debian packages ${missing.join(', ')} (their services are not started) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, stdio: 'ignore' }).status === 0
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
  const done = withoutStartingServices(() => install() || (apt('update', '-qq') && install()))
  if (!done) console.log('They could not be installed; their peers are left out.')
}

const servicePolicy = '/usr/sbin/policy-rc.d'

/** Debian starts a service as soon as it is installed, unless this file forbids it. */
function withoutStartingServices<Result>(act: () => Result): Result {
  if (existsSync(servicePolicy)) return act()
  writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return act()
  } finally {
    rmSync(servicePolicy)
  }
}
