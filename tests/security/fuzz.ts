import { parseArgs } from 'node:util'
import { runFuzz } from './fuzz/run-fuzz.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '500000' },
    seed: { type: 'string', default: String(Date.now()) },
    server: { type: 'string' },
  },
})

console.log(`fuzzing with seed ${values.seed}`)
const { total, cases, broadcasts, memoryBytes, slowTurns, findings } = await runFuzz({
  cases: Number(values.cases),
  seed: values.seed,
  ...(values.server === undefined ? {} : { entry: values.server }),
  log: (line) => console.log(line),
})
for (const finding of findings) console.error(finding)
const kinds = Object.entries(cases).map(([kind, count]) => `${count} ${kind}`)
const memory = `memory ${Math.round(memoryBytes.warm / 1e6)} → ${Math.round(memoryBytes.end / 1e6)} MB`
console.log(
  `seed ${values.seed}: ${total} cases (${kinds.join(', ')}), ${broadcasts} broadcasts, ${memory}, ${slowTurns} slow turns, ${findings.length} findings`,
)
process.exit(findings.length === 0 ? 0 : 1)
