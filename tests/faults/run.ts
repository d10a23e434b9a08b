import { parseArgs } from 'node:util'
import { type Outcome, runFaults } from './run-faults.ts'
import { runRandomUsers } from './run-random-users.ts'
import { type ViolationKind, violationDescriptions } from './violations.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    control: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    retention: { type: 'string', default: '100000' },
    lives: { type: 'string', default: '0' },
    cluster: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '3' },
  },
})

function wholeNumber(name: 'seconds' | 'seed' | 'retention' | 'lives' | 'nodes'): number {
  const value = Number(values[name])
  if (!Number.isSafeInteger(value) || value < 0) {
    console.error(`--${name} must be a whole number, not '${values[name]}'`)
    process.exit(2)
  }
  return value
}

const [seconds, seed] = [wholeNumber('seconds'), wholeNumber('seed')]
const users = wholeNumber('lives')
if (users > 0) {
  console.log(`seed ${seed}, ${users} random users`)
  const { tally, violations } = await runRandomUsers({ seed, users, print: console.log })
  for (const violation of violations) console.log(violation)
  console.log(`seed ${seed}: ${violations.length} violations; ${JSON.stringify(tally)}`)
  process.exit(violations.length > 0 ? 1 : 0)
}
const { control, cluster } = values
const nodes = cluster ? wholeNumber('nodes') : 0
console.log(
  `seed ${seed}, ${seconds} s, against ${control ? 'stock Socket.IO' : cluster ? `${nodes} nodes` : 'the server'}`,
)
const retainedMessages = wholeNumber('retention')
const outcome = await runFaults({
  seed,
  seconds,
  control,
  retainedMessages,
  nodes,
  ...(values.mutant !== undefined && { mutant: values.mutant }),
  print: console.log,
})

for (const { kind, client, detail } of outcome.result.examples) {
  console.log(`${kind} (${violationDescriptions[kind]}): ${client}: ${detail}`)
}
if (outcome.failure !== null) console.log(`the run failed: ${outcome.failure}`)
if (outcome.historiesPath !== null) console.log(`histories: ${outcome.historiesPath}`)
console.log(summaryLine(outcome))
// Exit explicitly: Node sometimes waits forever for the handle of a closed connection.
process.exit(outcome.hasFailed ? 1 : 0)

function summaryLine({ result, tally, removed, restricted, hasFailed, seconds: elapsedSeconds }: Outcome): string {
  const alwaysShown: ViolationKind[] = ['lost', 'duplicate', 'order']
  const others = (Object.keys(violationDescriptions) as ViolationKind[]).filter(
    (kind) => !alwaysShown.includes(kind) && result.counts[kind] > 0,
  )
  return [
    `seed ${seed}: ${hasFailed ? 'FAILED' : 'no violation'}, ${elapsedSeconds} s`,
    `sent ${result.sent} (${Math.round(result.sent / elapsedSeconds)} per second), acked ${result.acked}, delivered ${result.delivered}`,
    Object.entries({ ...tally, removed, ...restricted })
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', '),
    `lost ${result.counts.lost}, duplicate ${result.counts.duplicate}, order differences ${result.counts.order}, gaps ${result.gaps}`,
    ...others.map((kind) => `${kind} ${result.counts[kind]}`),
  ].join('; ')
}
