import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { say } from './steps.ts'

/** Debian's own Python: its packages are not for any other that may come first in the path. */
export const pythonCheck = ['/usr/bin/python3', '-c', 'import socketio, websocket, requests'] as const

/** What the tests drive, by the command that shows it is there and the Debian packages that bring it. */
const programs = [
  { check: ['sh', '-c', 'command -v chromium'], debianPackages: ['chromium'] },
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

/** Those of them without which not every browser engine can be driven. */
export const enginePackages = ['chromium', 'firefox-esr', 'webkit2gtk-driver', 'xvfb']

const servicePolicy = '/usr/sbin/policy-rc.d'
const postgresVersions = '/usr/lib/postgresql'
const clusterDefaults = '/etc/postgresql-common/createcluster.conf'
const packagedDefaults = '/usr/share/postgresql-common/createcluster.conf'

type DebianPackage = (typeof programs)[number]['debianPackages'][number]

/** Installs what is missing, of all or of these, when this user may; answers what is still missing. */
export function ensurePrograms(needed?: readonly DebianPackage[]): string[] {
  const isNeeded = (name: DebianPackage) => needed === undefined || needed.includes(name)
  const missing = () =>
    programs.filter(({ check }) => !succeeds(check)).flatMap(({ debianPackages }) => debianPackages.filter(isNeeded))
  const wanted = missing()
  if (wanted.length === 0) return []
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    const without = needed === undefined ? '; the tests that drive them are skipped' : ''
    say(`missing: ${wanted.join(', ')} (Debian packages)${without}`)
    return wanted
  }
  say(`installing ${wanted.join(', ')}`)
  withoutStartingServices(() =>
    withoutMainCluster(() => {
      apt(['update'])
      apt(['install', '-y', '--no-install-recommends', ...wanted])
    }),
  )
  return missing()
}

export function isThere(command: string): boolean {
  return succeeds(['sh', '-c', `command -v ${command}`])
}

/** Debian keeps PostgreSQL's own programs out of the path, by version; the newest serves. */
export function postgresProgram(name: string): string | null {
  const versions = existsSync(postgresVersions) ? readdirSync(postgresVersions).map(Number) : []
  const paths = versions
    .toSorted((a, b) => b - a)
    .map((version) => join(postgresVersions, String(version), 'bin', name))
  return paths.find((path) => existsSync(path)) ?? (isThere(name) ? name : null)
}

function succeeds([program, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(program, args).status === 0
}

function apt(args: string[]): void {
  spawnSync('apt-get', ['-qq', ...args], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}

/** Debian starts a server's service when its package is installed; the tests bring instances of their own. */
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

/** Debian's PostgreSQL comes with a database in /var/lib, for a service that nobody here asked for. */
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
