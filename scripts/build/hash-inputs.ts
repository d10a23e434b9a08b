import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.ts'

/** Returns a hash of the names and the contents of files, and of all files in folders. */
export function hashInputs(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of paths.flatMap(filesOf).toSorted()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 32)
}

function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}
