import { parseArgs } from 'node:util'
import { type PeerId, peerIds } from './peers/peer.ts'
import { type ScenarioName, scenarioNames } from './scenarios/scenario.ts'

const usage = `npm run bench -- [--quick] [--only scenario,…] [--peers peer,…] [--runs n] [--out folder]
  scenarios: ${scenarioNames.join(', ')}
  peers:     ${peerIds.join(', ')}`

export interface Options {
  quick: boolean
  only: ScenarioName[] | null
  peers: PeerId[] | null
  runs: number
  out: string | null
}

function parseList<Name extends string>(text: string | undefined, known: readonly Name[], kind: string): Name[] | null {
  if (text === undefined) return null
  return text.split(',').map((name) => {
    const found = known.find((candidate) => candidate === name.trim())
    if (found === undefined) throw new Error(`Unknown ${kind} '${name}'\n${usage}`)
    return found
  })
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      peers: { type: 'string' },
      runs: { type: 'string' },
      out: { type: 'string' },
    },
  })
  const runs = values.runs === undefined ? (values.quick ? 1 : 5) : Number(values.runs)
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs must be a whole number of at least 1\n${usage}`)
  return {
    quick: values.quick,
    only: parseList(values.only, scenarioNames, 'scenario'),
    peers: parseList(values.peers, peerIds, 'peer'),
    runs,
    out: values.out ?? null,
  }
}
