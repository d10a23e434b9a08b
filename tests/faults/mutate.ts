import { registerHooks } from 'node:module'
import { mutants } from './mutants.ts'

// This module inserts one defect, which the checker or the simulation must find. The program preloads it (`node --import`).
const name = process.env['MUTANT'] ?? ''
const mutant = mutants[name]
if (mutant === undefined) throw new Error(`unknown mutant '${name}'; one of ${Object.keys(mutants).join(', ')}`)
const { file, find, replace } = mutant

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(file)) return loaded
    const { source: text = '' } = loaded
    const source = typeof text === 'string' ? text : new TextDecoder().decode(text ?? undefined)
    // Without this check, a mutant of removed code would change nothing.
    if (!source.includes(find)) throw new Error(`mutant '${name}' does not match ${file}`)
    return { ...loaded, source: source.replace(find, replace) }
  },
})
