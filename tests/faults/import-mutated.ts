import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { projectRoot } from '../support/project-root.ts'
import { insertMutant } from './mutants.ts'

const parameter = 'mutant'
const projectUrl = pathToFileURL(projectRoot).href
const stripped = new Map<string, string>()

/**
 * Imports a module with one mutant in it or in a module that it imports. Node loads the modules of the project again
 * for each mutant, and the packages once.
 */
export function importMutated(module: URL, name: string): Promise<unknown> {
  return import(withMutant(module.href, name))
}

function withMutant(url: string, name: string): string {
  return `${url}?${new URLSearchParams({ [parameter]: name })}`
}

function mutantOf(url: string | undefined): string | null {
  return url === undefined || !url.includes(`?${parameter}=`) ? null : new URL(url).searchParams.get(parameter)
}

/**
 * Returns a source without its types. Removing the types takes longer than compiling the source, so the result is
 * cached.
 */
function readStripped(path: string): string {
  const known = stripped.get(path)
  if (known !== undefined) return known
  const source = stripTypeScriptTypes(readFileSync(path, 'utf8'))
  stripped.set(path, source)
  return source
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const name = mutantOf(context.parentURL)
    const isOfProject = resolved.url.startsWith(projectUrl) && !resolved.url.includes('/node_modules/')
    return name === null || !isOfProject ? resolved : { ...resolved, url: withMutant(resolved.url, name) }
  },
  load(url, context, nextLoad) {
    const name = mutantOf(url)
    if (name === null) return nextLoad(url, context)
    const path = fileURLToPath(url)
    const mutated = insertMutant(name, path, () => readFileSync(path, 'utf8'))
    const source = mutated === null ? readStripped(path) : stripTypeScriptTypes(mutated)
    return { format: 'module', source, shortCircuit: true }
  },
})
