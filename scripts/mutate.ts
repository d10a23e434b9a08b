// Runs mutation tests with StrykerJS. Passes its arguments to StrykerJS, for example `--mutate server/room/deliver/audience.ts`.

import { bin, run } from './steps.ts'

const isFine = await run(bin('stryker'), ['run', ...process.argv.slice(2)])
process.exitCode = isFine ? 0 : 1
