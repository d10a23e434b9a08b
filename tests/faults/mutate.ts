import { registerHooks } from 'node:module'
import { insertMutant } from './mutants.ts'

// This module inserts one defect, which the checker or the simulation must find. The program preloads it (`node --import`).
const name = process.env['MUTANT'] ?? ''

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const { source: text = '' } = loaded
    const read = () => (typeof text === 'string' ? text : new TextDecoder().decode(text ?? undefined))
    const source = insertMutant(name, url, read)
    return source === null ? loaded : { ...loaded, source }
  },
})
