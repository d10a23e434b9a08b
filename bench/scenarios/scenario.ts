import type { BurstResult } from '../harness/room.ts'
import type { Peer, PeerId } from '../peers/peer.ts'

export const scenarioNames = [
  'ceiling',
  'rates',
  'fanout',
  'crowd',
  'many-to-many',
  'join-storm',
  'slow-reader',
  'restart',
  'nodes',
  'browser',
] as const
export type ScenarioName = (typeof scenarioNames)[number]

interface RunContext {
  quick: boolean
  /** Says what is being done just now. */
  note: (text: string) => void
}

/** One measurement of one peer in one run. */
export type Outcome =
  | { scenario: 'ceiling'; deliveriesPerSecond: number; loadBusy: number }
  | { scenario: 'rates'; points: BurstResult[]; sustained: number }
  | {
      scenario: 'fanout'
      points: BurstResult[]
      wantedConnections: number
      heldConnections: number
      bytesPerConnection: number
      /** Of a core, with the most connections and nobody saying anything. */
      idleShare: number
    }
  | {
      scenario: 'crowd'
      wantedConnections: number
      heldConnections: number
      bytesPerConnection: number
      point: BurstResult
    }
  | { scenario: 'many-to-many'; point: BurstResult; senders: number }
  | { scenario: 'join-storm'; storms: StormResult[]; naiveCheck: NaiveCheck | null }
  | { scenario: 'slow-reader'; before: BurstResult; during: BurstResult; grownBytes: number; disconnected: boolean }
  | { scenario: 'restart'; ways: RestartResult[] }
  | { scenario: 'nodes'; alone: BurstResult; node: BurstResult; across: BurstResult }
  | { scenario: 'browser'; page: BrowserResult }

export interface StormResult {
  kind: 'pages' | 'plain'
  sockets: number
  tookMs: number
  turnedAway: number
  presenceBytes: number
  naiveBytes: number
  right: number
  listeners: number
  rightAfterMs: number
  chatP50Ms: number
  chatP99Ms: number
  chatComplete: boolean
  versionGaps: number
}

/** The naive list's bytes as counted on the wire beside what the formula says. */
export interface NaiveCheck {
  sockets: number
  measuredBytes: number
  computedBytes: number
}

export interface RestartResult {
  way: 'drain' | 'crash'
  clients: number
  returned: number
  /** From the signal until 95 % are back. */
  back95Ms: number
  downMs: number
}

export interface BrowserResult {
  seconds: number
  rate: number
  /** The number of the last message that the page shows; the page has missed nothing if it is `sent`. */
  received: number
  sent: number
  longestTaskMs: number
  tasksOver50Ms: number
  typingP95Ms: number
  typingSamples: number
  messageNodes: number
}

export interface Scenario {
  name: ScenarioName
  title: string
  /** Which peers it can measure; which of them take part in the full and in the quick run, unless told otherwise. */
  able: readonly PeerId[]
  peers: readonly PeerId[]
  quickPeers: readonly PeerId[]
  /** A scenario that takes long and varies little is run less often; the results say how often. */
  maxRuns?: number
  /** For the progress bar only. */
  expectedSeconds: (peer: PeerId, quick: boolean) => number
  measure: (peer: Peer, context: RunContext) => Promise<Outcome>
}

export interface OutcomeRecord {
  peer: PeerId
  run: number
  outcome: Outcome
}
