import type { Machine } from '../machine.ts'
import type { PeerId } from '../peers/peer.ts'
import type { Outcome, OutcomeRecord } from '../scenarios/scenario.ts'
import { median } from './statistics.ts'

export interface PeerInfo {
  id: PeerId
  label: string
  configuration: string
  batching: string
  /** Reason why the peer was not available; null if the bench measured the peer or there is no reason. */
  unavailableReason: string | null
}

/** Results of a bench. The report uses no other data. */
export interface Results {
  measuredOn: string
  quick: boolean
  runs: number
  machine: Machine
  peers: PeerInfo[]
  records: OutcomeRecord[]
}

type OutcomeOf<Name extends Outcome['scenario']> = Extract<Outcome, { scenario: Name }>

/** Returns the outcomes of one scenario for one peer, one for each run. */
export function outcomesOf<Name extends Outcome['scenario']>(
  { records }: Results,
  scenario: Name,
  peer: PeerId,
): OutcomeOf<Name>[] {
  return records
    .filter((record) => record.peer === peer && record.outcome.scenario === scenario)
    .map(({ outcome }) => outcome as OutcomeOf<Name>)
}

export function measuredPeers(results: Results, scenario: Outcome['scenario']): PeerInfo[] {
  return results.peers.filter(({ id }) => outcomesOf(results, scenario, id).length > 0)
}

/** CPU share of other processes above which times and CPU figures get no verdict. */
const maxQuietShare = 0.05

export function isQuiet(results: Results): boolean {
  const load = otherProcessesLoad(results)
  return load === null || load.median <= maxQuietShare
}

/** Returns the CPU share of other processes during the bursts. */
export function otherProcessesLoad({ records }: Results): { median: number; max: number } | null {
  const bursts = records.flatMap(({ outcome }) => {
    if (outcome.scenario === 'rates' || outcome.scenario === 'fanout') return outcome.points
    if (outcome.scenario === 'nodes') return [outcome.alone, outcome.node]
    if (outcome.scenario === 'many-to-many' || outcome.scenario === 'many-connections') return [outcome.point]
    return outcome.scenario === 'slow-consumer' ? [outcome.before, outcome.during] : []
  })
  const values = bursts.map(({ otherProcessesShare }) => otherProcessesShare)
  return values.length === 0 ? null : { median: median(values), max: Math.max(...values) }
}
