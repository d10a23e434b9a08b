import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/project-root.ts'

interface LockedPackage {
  version?: string
  resolved?: string
  hasInstallScript?: boolean
  dev?: boolean
}
interface LockFile {
  packages: Record<string, LockedPackage>
}

/** Minimum versions without known vulnerabilities. */
const minimumVersions: Record<string, string> = {
  'socket.io': '4.8.0',
  'engine.io': '6.6.7',
  'socket.io-parser': '4.2.7',
  ws: '8.21.1',
}

const lockFiles = ['package-lock.json', 'bench/package-lock.json']
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const packagesOf = (file: string) => Object.entries((JSON.parse(read(file)) as LockFile).packages)

function isAtLeast(version: string, minimum: string): boolean {
  const [have, want] = [version, minimum].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const differing = want.findIndex((number, index) => have[index] !== number)
  return differing === -1 || (have[differing] ?? 0) > (want[differing] ?? 0)
}

test.each(Object.entries(minimumVersions))(
  'SECURITY-8 every copy of %s in the product has at least version %s',
  (name, minimum) => {
    const copies = packagesOf('package-lock.json').filter(
      ([path, { dev }]) => path.split('node_modules/').at(-1) === name && dev !== true,
    )
    expect(copies.length).toBeGreaterThan(0)
    for (const [path, { version = '' }] of copies) {
      expect(isAtLeast(version, minimum), `${path} is ${version}`).toBe(true)
      const installed = JSON.parse(read(join(path, 'package.json'))) as LockedPackage
      expect(installed.version).toBe(version)
    }
  },
)

test.each([
  ['8.21.1', true],
  ['8.22.0', true],
  ['9.0.0', true],
  ['8.21.0', false],
  ['8.3.99', false],
  ['7.99.99', false],
])('SECURITY-8 the check of version %s returns %s', (version, isNewEnough) => {
  expect(isAtLeast(version, '8.21.1')).toBe(isNewEnough)
})

test.each(lockFiles)('SECURITY-8 %s names no host to download from', (file) => {
  expect(
    packagesOf(file)
      .filter(([, { resolved }]) => resolved !== undefined)
      .map(([path]) => path),
  ).toStrictEqual([])
})

test('SECURITY-8 no production dependency runs an install script', () => {
  const packages = packagesOf('package-lock.json')
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toStrictEqual([])
})
