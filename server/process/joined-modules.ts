import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFolder } from '../transport/http/pages/built-pages.ts'

/** Libraries of hundreds of small files, all of which are opened at every start; the build joins each into one. */
export const joinedModules = [
  { name: 'typebox', file: 'typebox.mjs' },
  { name: 'typebox/compile', file: 'typebox-compile.mjs' },
  { name: 'kysely', file: 'kysely.mjs' },
  { name: 'kysely/migration', file: 'kysely-migration.mjs' },
] as const

const packages = ['typebox', 'kysely']

/** Named after the versions that are installed, so that an update never meets the files of another; `null` without them. */
export function joinedModulesFolder(): string | null {
  try {
    const versions = packages.map((name) => `${name}-${versionOf(name)}`)
    return join(builtFolder, 'modules', versions.join('+'))
  } catch {
    return null
  }
}

function versionOf(packageName: string): string {
  const file = new URL(`../../node_modules/${packageName}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/**
 * Most of a start was spent on opening a thousand small files of two libraries: takes what the build has joined into one
 * file each, where it has. To be called before they are imported, once in every thread.
 */
export function importJoinedModules(): void {
  const folder = joinedModulesFolder()
  if (folder === null || !existsSync(folder)) return
  const urls = new Map<string, string>(
    joinedModules.map(({ name, file }) => [name, pathToFileURL(join(folder, file)).href]),
  )
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = urls.get(specifier)
      return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
    },
  })
}
