import { parseArgs } from 'node:util'
import { restarts, runRestarts } from './restarts.ts'
import { checkRestore, restores } from './restores.ts'

const { values } = parseArgs({ options: { times: { type: 'string', default: '1' } } })
const times = Number(values.times)
if (!Number.isSafeInteger(times) || times < 1) {
  console.error(`--times must be a positive whole number, not '${values.times}'`)
  process.exit(2)
}

let failures = 0
for (let round = 1; round <= times; round++) {
  const { counts, examples, hasViolations, ...totals } = await runRestarts(round, Object.keys(restarts), console.log)
  for (const { kind, client, detail } of examples) console.log(`${kind}: ${client}: ${detail}`)
  const { lost, duplicate, order, rejected } = counts
  console.log(`round ${round}: ${JSON.stringify({ ...totals, lost, duplicate, order, rejected })}`)
  if (hasViolations) failures++
  for (const [name, open] of Object.entries(restores)) {
    const problems = await checkRestore(open)
    for (const problem of problems) console.log(problem)
    console.log(`round ${round}: ${name}: ${problems.length === 0 ? 'every client was notified' : 'FAILED'}`)
    if (problems.length > 0) failures++
  }
}
console.log(failures === 0 ? 'no violation' : `${failures} FAILED`)
// Exit explicitly: Node sometimes waits forever for the handle of a closed connection.
process.exit(failures === 0 ? 0 : 1)
