import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundledServer } from '../../scripts/build/bundle-server.ts'
import { projectRoot } from './project-root.ts'

const bundle = bundledServer()

/** Path of the sources of the server. */
export const sourceEntry = join(projectRoot, 'server/main.ts')

/** Path of the server that tests start: the bundle if the current sources are bundled, otherwise the sources, which load slower. */
export const serverEntry = existsSync(bundle) ? bundle : sourceEntry
