import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const benchFolder = dirname(fileURLToPath(import.meta.url))

/** Returns the npm that started this process, or the npm on the PATH. */
function npmCommand(): string[] {
  const npmPath = process.env['npm_execpath']
  return npmPath !== undefined && existsSync(npmPath) ? [process.execPath, npmPath] : ['npm']
}

/**
 * Installs the packages of the bench if they are missing. These packages have their own folder, because they are large
 * and the application does not need them.
 */
export function installPackages(): void {
  if (existsSync(join(benchFolder, 'node_modules/socket.io'))) return
  console.log('Installing packages into bench/node_modules …')
  const [program = 'npm', ...args] = npmCommand()
  // No package needs its install script: the binaries are optional dependencies.
  const result = spawnSync(program, [...args, 'ci', '--ignore-scripts'], { cwd: benchFolder, stdio: 'inherit' })
  if (result.status !== 0) throw new Error('Packages not installed. Run npm ci in bench/ to see the error.')
}

function isInstalled(debianPackage: string): boolean {
  const query = spawnSync('dpkg-query', ['-W', '-f=${Status}', debianPackage], { encoding: 'utf8' })
  return query.status === 0 && query.stdout.includes('install ok installed')
}

/**
 * Installs missing Debian packages. Without root or apt-get, prints which packages are missing; the bench then skips the
 * peers that need them.
 */
export function installDebianPackages(names: string[]): void {
  const missing = [...new Set(names)].filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(
      `Missing Debian packages: ${missing.join(', ')}. Their peers are skipped. Install the packages as root to measure them.`,
    )
    return
  }
  console.log(`Installing Debian packages: ${missing.join(', ')} (their services are not started) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, stdio: 'ignore' }).status === 0
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
  const isDone = withoutStartingServices(() => install() || (apt('update', '-qq') && install()))
  if (!isDone) console.log('Debian packages not installed. Their peers are skipped.')
}

const servicePolicy = '/usr/sbin/policy-rc.d'

/**
 * Runs `install` while a policy file keeps Debian from starting the installed services. An existing policy file stays
 * as it is.
 */
function withoutStartingServices<Result>(install: () => Result): Result {
  if (existsSync(servicePolicy)) return install()
  writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return install()
  } finally {
    rmSync(servicePolicy)
  }
}
