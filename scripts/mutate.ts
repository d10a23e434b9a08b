import { bin, run } from './steps.ts'

/** Mutation tests with StrykerJS. Arguments are passed on, for example `--mutate server/room/deliver/audience.ts`. */
const isFine = await run(bin('stryker'), ['run', ...process.argv.slice(2)])
process.exitCode = isFine ? 0 : 1
