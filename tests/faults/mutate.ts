import { registerHooks } from 'node:module'
import { mutants } from './mutants.ts'

// Put before a program (`node --import`), it puts one fault into it: the checker and the simulation must find it.
const name = process.env['MUTANT'] ?? ''
const mutant = mutants[name]
if (mutant === undefined) throw new Error(`there is no mutant '${name}'; there are ${Object.keys(mutants).join(', ')}`)
const { file, find, replace } = mutant

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(file)) return loaded
    const { source: text = '' } = loaded
    const source = typeof text === 'string' ? text : new TextDecoder().decode(text ?? undefined)
    // A mutant of code that is no longer there would be found by nobody.
    if (!source.includes(find)) throw new Error(`the mutant '${name}' does not fit ${file} any more`)
    return { ...loaded, source: source.replace(find, replace) }
  },
})
