import { fileURLToPath } from 'node:url'

/** Output folder of the build: `builds/`, the pointer `current`, and the bundled libraries in `modules/`. */
export const builtFolder = fileURLToPath(new URL('../../dist', import.meta.url))
