import { flushCompileCache } from 'node:module'
import { importBundledModules } from '../../base/bundled-modules.ts'

// This script is the entry point of every storage thread. It prepares the imports, then runs the script that the thread was
// started for.
const script = process.argv[2]
if (script === undefined) throw new Error('A storage thread was started without its script.')
importBundledModules()
await import(script)
flushCompileCache()
