import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFolder } from './built-folder.ts'

/** Libraries that consist of hundreds of small files. The build bundles each into one file to shorten the start. */
export const bundledModules = [
  { name: 'typebox', file: 'typebox.mjs' },
  { name: 'typebox/compile', file: 'typebox-compile.mjs' },
  { name: 'kysely', file: 'kysely.mjs' },
  { name: 'kysely/migration', file: 'kysely-migration.mjs' },
] as const

const packages = ['typebox', 'kysely']

/** Returns the folder of the bundled libraries, named after their installed versions; `null` if they are not installed. */
export function bundledModulesFolder(): string | null {
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
 * Resolves imports of these libraries to the bundled files, if the build has made them. Without the bundled files,
 * opening the thousand small files of two libraries takes most of a start. Call this function once in every thread,
 * before the thread imports the libraries.
 */
export function importBundledModules(): void {
  const folder = bundledModulesFolder()
  if (folder === null || !existsSync(folder)) return
  const urls = new Map<string, string>(
    bundledModules.map(({ name, file }) => [name, pathToFileURL(join(folder, file)).href]),
  )
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = urls.get(specifier)
      return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
    },
  })
}
