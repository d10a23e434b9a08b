import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { logLine } from './steps.ts'

/**
 * Command that checks whether Debian's Python has the packages that the tests use. Another Python in the path cannot
 * import them.
 */
export const pythonCheck = ['/usr/bin/python3', '-c', 'import socketio, websocket, requests'] as const

/** Programs that the tests use: a command that succeeds if they are installed, and their Debian packages. */
const programs = [
  { check: ['sh', '-c', 'command -v chromium'], debianPackages: ['chromium'] },
  // This program is optional: without it, the browser tests use Chromium and take longer.
  { check: ['sh', '-c', 'command -v chromium-headless-shell'], debianPackages: ['chromium-headless-shell'] },
  { check: ['sh', '-c', 'command -v firefox-esr'], debianPackages: ['firefox-esr'] },
  { check: ['sh', '-c', 'command -v WebKitWebDriver'], debianPackages: ['webkit2gtk-driver'] },
  { check: ['sh', '-c', 'command -v Xvfb'], debianPackages: ['xvfb'] },
  { check: ['sh', '-c', 'command -v nginx'], debianPackages: ['nginx'] },
  { check: ['sh', '-c', 'command -v redis-server'], debianPackages: ['redis-server'] },
  {
    check: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/postgres || command -v postgres'],
    debianPackages: ['postgresql'],
  },
  { check: ['sh', '-c', 'command -v haproxy'], debianPackages: ['haproxy'] },
  { check: ['sh', '-c', 'command -v caddy'], debianPackages: ['caddy'] },
  { check: ['sh', '-c', 'command -v sqlite3'], debianPackages: ['sqlite3'] },
  { check: ['sh', '-c', 'command -v systemd-analyze'], debianPackages: ['systemd'] },
  { check: pythonCheck, debianPackages: ['python3-socketio', 'python3-websocket', 'python3-requests'] },
] as const

/** Packages that the tests of the browser engines need. */
export const enginePackages = ['chromium', 'firefox-esr', 'webkit2gtk-driver', 'xvfb']

const servicePolicy = '/usr/sbin/policy-rc.d'
const postgresVersions = '/usr/lib/postgresql'
const clusterDefaults = '/etc/postgresql-common/createcluster.conf'
const packagedDefaults = '/usr/share/postgresql-common/createcluster.conf'

type DebianPackage = (typeof programs)[number]['debianPackages'][number]

/**
 * Installs the Debian packages of missing programs, or only those in `needed`, if this user may install packages. Returns
 * the packages still missing.
 */
export function ensurePrograms(needed?: readonly DebianPackage[]): string[] {
  const isNeeded = (name: DebianPackage) => needed === undefined || needed.includes(name)
  const chosen = programs.filter(({ debianPackages }) => debianPackages.some(isNeeded))
  const missing = () =>
    chosen.filter(({ check }) => !succeeds(check)).flatMap(({ debianPackages }) => debianPackages.filter(isNeeded))
  const toInstall = missing()
  if (toInstall.length === 0) return []
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) {
    const consequence = needed === undefined ? '; without them, tests are skipped or slower' : ''
    logLine(`missing: ${toInstall.join(', ')} (Debian packages)${consequence}`)
    return toInstall
  }
  logLine(`installing ${toInstall.join(', ')}`)
  withoutStartingServices(() =>
    withoutMainCluster(() => {
      apt(['update'])
      // Call apt once for each package: if one package does not exist, apt still installs the others.
      for (const name of toInstall) apt(['install', '-y', '--no-install-recommends', name])
    }),
  )
  return missing()
}

export function isInstalled(command: string): boolean {
  return succeeds(['sh', '-c', `command -v ${command}`])
}

/**
 * Returns the path of a PostgreSQL program of the newest version, or its name if it is in the path; `null` if it is not
 * installed. Debian keeps these programs outside of the path.
 */
export function postgresProgram(name: string): string | null {
  const versions = existsSync(postgresVersions) ? readdirSync(postgresVersions).map(Number) : []
  const paths = versions
    .toSorted((a, b) => b - a)
    .map((version) => join(postgresVersions, String(version), 'bin', name))
  return paths.find((path) => existsSync(path)) ?? (isInstalled(name) ? name : null)
}

function succeeds([program, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(program, args).status === 0
}

function apt(args: string[]): void {
  spawnSync('apt-get', ['-qq', ...args], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}

/** Runs `install`, but prevents Debian from starting the services of the packages. The tests start their own instances. */
function withoutStartingServices(install: () => void): void {
  const isOurs = !existsSync(servicePolicy)
  if (isOurs) {
    writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n')
    chmodSync(servicePolicy, 0o755)
  }
  try {
    install()
  } finally {
    if (isOurs) rmSync(servicePolicy)
  }
}

/** Runs `install`, but prevents Debian from creating a database cluster in /var/lib, which the tests do not use. */
function withoutMainCluster(install: () => void): void {
  const isOurs = !existsSync(clusterDefaults)
  if (isOurs) {
    mkdirSync(dirname(clusterDefaults), { recursive: true })
    writeFileSync(clusterDefaults, 'create_main_cluster = false\n')
  }
  try {
    install()
  } finally {
    if (isOurs && existsSync(packagedDefaults)) copyFileSync(packagedDefaults, clusterDefaults)
  }
}
