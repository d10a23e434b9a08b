import type { Machine } from '../machine.ts'
import type { PeerId } from '../peers/peer.ts'
import type { Outcome, OutcomeRecord } from '../scenarios/scenario.ts'

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
