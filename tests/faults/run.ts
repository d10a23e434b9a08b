import { parseArgs } from 'node:util'
import { type Outcome, runFaults } from './run-faults.ts'
import { runLives } from './run-lives.ts'
import { type Charge, charges } from './verdict.ts'

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
  const { tally, complaints } = await runLives({ seed, lives, say: console.log })
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
  say: console.log,
})

for (const { charge, client, detail } of outcome.verdict.examples) {
  console.log(`${charge} (${charges[charge]}): ${client}: ${detail}`)
}
if (outcome.broke !== null) console.log(`the run broke off: ${outcome.broke}`)
if (outcome.kept !== null) console.log(`histories: ${outcome.kept}`)
console.log(verdictLine(outcome))
// Left to itself, Node has been seen to wait for ever for the handle of a connection that nobody has any more.
process.exit(outcome.guilty ? 1 : 0)

function verdictLine({ verdict, tally, guilty, seconds: took }: Outcome): string {
  const always: Charge[] = ['lost', 'doubled', 'order']
  const others = (Object.keys(charges) as Charge[]).filter(
    (charge) => !always.includes(charge) && verdict.counts[charge] > 0,
  )
  return [
    `seed ${seed}: ${guilty ? 'GUILTY' : 'innocent'}, ${took} s`,
    `sent ${verdict.sent} (${Math.round(verdict.sent / took)} a second), acked ${verdict.acked}, delivered ${verdict.delivered}`,
    Object.entries(tally)
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', '),
    `lost ${verdict.counts.lost}, doubled ${verdict.counts.doubled}, order differences ${verdict.counts.order}, gaps ${verdict.gaps}`,
    ...others.map((charge) => `${charge} ${verdict.counts[charge]}`),
  ].join('; ')
}
