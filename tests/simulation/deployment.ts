import type { Random } from '../faults/random.ts'
import type { HistoryEvent } from '../faults/history.ts'
import type { LifePlan, Step } from './plan.ts'
import type { Room } from './simulated-page.ts'
import type { VirtualTime } from './virtual-time.ts'

type Record = (happening: HistoryEvent) => void

export interface SiteOptions {
  folder: string
  plan: LifePlan
  time: VirtualTime
  random: Random
  /** The server's own history. */
  keep: Record
}

/** Where the room lives: one server on its file, or several nodes on a log that they share. */
export interface Site {
  readonly room: Room
  /** Everything that should be there is there. */
  isUp(): boolean
  take(step: Step): void
  end(): void
  /** What the log holds in the end, from as far back as it reaches. */
  tellLog(record: Record): void
}

/** Messages are forgotten by their number here, never by their age. */
export const maxAgeMs = 86_400_000
