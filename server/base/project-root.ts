import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

const manifest = findPackageJSON(import.meta.url)
if (manifest === undefined) throw new Error('The project has no package.json.')

/** Folder of `package.json`. The sources of the server and its bundle are in different folders below it. */
export const projectRoot = dirname(manifest)
