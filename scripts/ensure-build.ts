import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.ts'
import { root, say } from './steps.ts'

const inputs = [
  'web/**/*',
  'contract/**/*.ts',
  'vite.config.ts',
  'scripts/build.ts',
  'scripts/build/**',
  'package-lock.json',
]
const stamp = join(root, 'dist', '.built-from')

/** Builds the pages unless they are made from exactly these sources. */
export async function ensureBuild(): Promise<void> {
  const wanted = hashOfInputs()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('building the pages')
  await build()
  writeFileSync(stamp, wanted)
}

function hashOfInputs(): string {
  const hash = createHash('sha256')
  const files = inputs.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
  for (const file of files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}
