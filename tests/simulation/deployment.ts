import type { Random } from '../faults/random.ts'
import type { HistoryEvent } from '../faults/history.ts'
import type { RunPlan, Step } from './plan.ts'
import type { FakeDatabase } from './fake-database.ts'
import type { Room } from './simulated-page.ts'
import type { SimulatedServer } from './simulated-server.ts'
import type { VirtualTime } from './virtual-time.ts'

type RecordEvent = (event: HistoryEvent) => void

export interface DeploymentOptions {
  folder: string
  plan: RunPlan
  time: VirtualTime
  random: Random
  /** Database of tokens and moderation; `null` in a run without moderation. */
  database: FakeDatabase | null
  /** Adds an event to the history of the server. */
  recordServerEvent: RecordEvent
}

/** Simulated installation: one server with its database file, or several nodes with a shared log. */
export interface Deployment {
  readonly room: Room
  /** Returns whether all servers are running. */
  isUp(): boolean
  /** Returns the server of a node; `null` if it is not running. */
  serverOf(node: number): SimulatedServer | null
  /** Runs a step of the plan that concerns servers or the log. */
  apply(step: Step): void
  stop(): void
  /** Records the whole content of the log. */
  recordLog(record: RecordEvent): void
}

/** Retention, longer than any run: the log is trimmed by count, never by age. */
export const maxAgeMs = 86_400_000
