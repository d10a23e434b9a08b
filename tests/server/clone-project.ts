import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, temporaryFolder } from './spawn-server.ts'

/** What a clone has of its own, so that neither what is edited nor what is built here and now matters. */
const sources = [
  'contract',
  'server',
  'web',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'vite.config.ts',
  '.npmrc',
]

/** A clone with the packages installed, but not yet marked as such, and nothing built. */
export function cloneProject(): string {
  const clone = temporaryFolder()
  for (const name of sources) cpSync(join(projectRoot, name), join(clone, name), { recursive: true })
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    if (name !== '.installed') symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name))
  }
  return clone
}
