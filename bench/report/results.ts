import type { Machine } from '../machine.ts'
import type { PeerId } from '../peers/peer.ts'
import type { Outcome, OutcomeRecord } from '../scenarios/scenario.ts'
import { median } from './statistics.ts'

export interface PeerNote {
  id: PeerId
  label: string
  setting: string
  batching: string
  /** Why it could not be measured here. */
  missing: string | null
}

/** Everything a run has to say; the tables and charts are made from this alone. */
export interface Results {
  takenOn: string
  quick: boolean
  runs: number
  machine: Machine
  peers: PeerNote[]
  records: OutcomeRecord[]
}

type OutcomeOf<Name extends Outcome['scenario']> = Extract<Outcome, { scenario: Name }>

/** All measurements of one scenario for one peer, run by run. */
export function outcomesOf<Name extends Outcome['scenario']>(
  { records }: Results,
  scenario: Name,
  peer: PeerId,
): OutcomeOf<Name>[] {
  return records
    .filter((record) => record.peer === peer && record.outcome.scenario === scenario)
    .map(({ outcome }) => outcome as OutcomeOf<Name>)
}

export function peersIn(results: Results, scenario: Outcome['scenario']): PeerNote[] {
  return results.peers.filter(({ id }) => outcomesOf(results, scenario, id).length > 0)
}

/** Above this share of the machine for others, a time or a CPU figure is as much theirs as ours. */
const quietShare = 0.05

export function isQuiet(results: Results): boolean {
  const load = foreignLoad(results)
  return load === null || load.median <= quietShare
}

/** How much of the machine others used while the bursts ran: the median burst and the worst. */
export function foreignLoad({ records }: Results): { median: number; max: number } | null {
  const shares = records.flatMap(({ outcome }) => {
    if (outcome.scenario === 'rates' || outcome.scenario === 'fanout') return outcome.points
    if (outcome.scenario === 'nodes') return [outcome.alone, outcome.node]
    if (outcome.scenario === 'many-to-many' || outcome.scenario === 'crowd') return [outcome.point]
    return outcome.scenario === 'slow-reader' ? [outcome.before, outcome.during] : []
  })
  const values = shares.map(({ foreignShare }) => foreignShare)
  return values.length === 0 ? null : { median: median(values), max: Math.max(...values) }
}
