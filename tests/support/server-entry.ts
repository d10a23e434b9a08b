import { join } from 'node:path'
import { projectRoot } from './project-root.ts'

/** Path of the sources of the server. */
export const sourceEntry = join(projectRoot, 'server/main.ts')

/** Path of the server that tests start: the bundle that `npm test` has made, otherwise the sources. */
export const serverEntry = process.env['BUNDLED_SERVER'] ?? sourceEntry
