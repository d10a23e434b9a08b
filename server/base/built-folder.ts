import { join } from 'node:path'
import { projectRoot } from './project-root.ts'

/** Output folder of the build: the pages in `builds/`, the pointer `current`, and the bundles of the server in `server/`. */
export const builtFolder = join(projectRoot, 'dist')
