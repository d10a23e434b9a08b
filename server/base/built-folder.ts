import { fileURLToPath } from 'node:url'

/** Folder of everything that the build makes: `builds/`, the pointer `current`, and the joined libraries in `modules/`. */
export const builtFolder = fileURLToPath(new URL('../../dist', import.meta.url))
