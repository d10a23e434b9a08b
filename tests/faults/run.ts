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
const lives = wholeNumber('lives')
if (lives > 0) {
  console.log(`seed ${seed}, ${lives} lives of users at their pages`)
  const { tally, complaints } = await runRandomUsers({ seed, lives, say: console.log })
  for (const complaint of complaints) console.log(complaint)
  console.log(`seed ${seed}: ${complaints.length} complaints; ${JSON.stringify(tally)}`)
  process.exit(complaints.length > 0 ? 1 : 0)
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
if (outcome.failure !== null) console.log(`the run failure off: ${outcome.failure}`)
if (outcome.historiesPath !== null) console.log(`histories: ${outcome.historiesPath}`)
console.log(verdictLine(outcome))
// Left to itself, Node has been seen to wait for ever for the handle of a connection that nobody has any more.
process.exit(outcome.hasFailed ? 1 : 0)

function verdictLine({ result, tally, hasFailed, seconds: took }: Outcome): string {
  const always: ViolationKind[] = ['lost', 'doubled', 'order']
  const others = (Object.keys(violationDescriptions) as ViolationKind[]).filter(
    (charge) => !always.includes(charge) && result.counts[charge] > 0,
  )
  return [
    `seed ${seed}: ${hasFailed ? 'GUILTY' : 'innocent'}, ${took} s`,
    `sent ${result.sent} (${Math.round(result.sent / took)} a second), acked ${result.acked}, delivered ${result.delivered}`,
    Object.entries(tally)
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', '),
    `lost ${result.counts.lost}, doubled ${result.counts.doubled}, order differences ${result.counts.order}, gaps ${result.gaps}`,
    ...others.map((charge) => `${charge} ${result.counts[charge]}`),
  ].join('; ')
}
