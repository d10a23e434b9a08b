import type { BurstResult } from '../harness/room.ts'
import type { Peer, PeerId } from '../peers/peer.ts'

export const scenarioNames = [
  'ceiling',
  'rates',
  'fanout',
  'many-connections',
  'many-to-many',
  'join-storm',
  'slow-consumer',
  'restart',
  'nodes',
  'browser',
] as const
export type ScenarioName = (typeof scenarioNames)[number]

interface RunContext {
  quick: boolean
  /** Shows the current step in the progress bar. */
  note: (text: string) => void
}

/** Result of one scenario for one peer in one run. */
export type Outcome =
  | { scenario: 'ceiling'; deliveriesPerSecond: number; loadGeneratorBusyShare: number }
  | { scenario: 'rates'; points: BurstResult[]; sustained: number }
  | {
      scenario: 'fanout'
      points: BurstResult[]
      requestedConnections: number
      openConnections: number
      bytesPerConnection: number
      /** Share of a core that the largest room uses without messages. */
      idleShare: number
    }
  | {
      scenario: 'many-connections'
      requestedConnections: number
      openConnections: number
      bytesPerConnection: number
      point: BurstResult
    }
  | { scenario: 'many-to-many'; point: BurstResult; senders: number }
  | { scenario: 'join-storm'; storms: JoinStormResult[]; naiveCheck: NaiveCheck | null }
  | {
      scenario: 'slow-consumer'
      before: BurstResult
      during: BurstResult
      memoryGrowthBytes: number
      isDisconnected: boolean
    }
  | { scenario: 'restart'; restarts: RestartResult[] }
  | { scenario: 'nodes'; alone: BurstResult; node: BurstResult; crossNode: BurstResult }
  | { scenario: 'browser'; page: BrowserResult }

export interface JoinStormResult {
  kind: 'pages' | 'plain'
  sockets: number
  durationMs: number
  rejectedAttempts: number
  presenceBytes: number
  naiveBytes: number
  correct: number
  presenceClients: number
  correctAfterMs: number
  chatP50Ms: number
  chatP99Ms: number
  isChatComplete: boolean
  versionGaps: number
}

/** Measured and computed bytes of the naive presence list. */
export interface NaiveCheck {
  sockets: number
  measuredBytes: number
  computedBytes: number
}

export interface RestartResult {
  stop: 'drain' | 'crash'
  clients: number
  reconnected: number
  /** Time from the signal until 95 % of the clients have reconnected; NaN if fewer clients reconnected. */
  reconnected95Ms: number
  /** Time from the exit of the old process until the new process accepts connections. */
  downMs: number
}

export interface BrowserResult {
  seconds: number
  rate: number
  /** Number of the last message on the page. It equals `sent` if the page missed no message. */
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
  /** Peers that the scenario can measure, selected with --peers. */
  supportedPeers: readonly PeerId[]
  /** Peers of a full run without --peers. */
  peers: readonly PeerId[]
  /** Peers of a quick run without --peers. */
  quickPeers: readonly PeerId[]
  /** Maximum number of runs, for scenarios that take long and vary little. */
  maxRuns?: number
  /** Returns the expected duration, for the progress bar. */
  expectedSeconds: (peer: PeerId, quick: boolean) => number
  measure: (peer: Peer, context: RunContext) => Promise<Outcome>
}

export interface OutcomeRecord {
  peer: PeerId
  run: number
  outcome: Outcome
}
