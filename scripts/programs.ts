import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { say } from './steps.ts'

/** What the tests drive, by the command that shows it is there and the Debian package that brings it. */
const programs = [{ command: 'chromium', debianPackage: 'chromium' }]

const servicePolicy = '/usr/sbin/policy-rc.d'

/** Installs what is missing when this user may; answers what is still missing. */
export function ensurePrograms(): string[] {
  const missing = () => programs.filter(({ command }) => !isThere(command)).map(({ debianPackage }) => debianPackage)
  const wanted = missing()
  if (wanted.length === 0) return []
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    say(`missing for the tests: ${wanted.join(', ')} (Debian packages); the tests that drive them are skipped`)
    return wanted
  }
  say(`installing for the tests: ${wanted.join(', ')}`)
  withoutStartingServices(() => {
    apt(['update'])
    apt(['install', '-y', '--no-install-recommends', ...wanted])
  })
  return missing()
}

function isThere(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0
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
