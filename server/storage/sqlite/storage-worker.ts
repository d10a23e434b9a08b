import { flushCompileCache } from 'node:module'
import { importJoinedModules } from '../../process/joined-modules.ts'

/** The entry of every storage thread: prepares its imports, then becomes the script that it was started for. */
const script = process.argv[2]
if (script === undefined) throw new Error('A storage thread was started without its script.')
importJoinedModules()
await import(script)
flushCompileCache()
