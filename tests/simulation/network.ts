import type { Random } from '../faults/random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** Latency of a link, and how often and how long its receiver pauses. */
export interface LinkProfile {
  latencyMs: [min: number, max: number]
  pauseChance: number
  pauseMs: [min: number, max: number]
}

const linkProfiles: readonly LinkProfile[] = [
  { latencyMs: [0, 2], pauseChance: 0, pauseMs: [0, 0] },
  { latencyMs: [1, 60], pauseChance: 0.02, pauseMs: [50, 400] },
  { latencyMs: [20, 400], pauseChance: 0.05, pauseMs: [200, 3_000] },
]

export interface Pipe {
  /** Calls `deliver` after everything sent before has arrived. Never calls `deliver` if the pipe is cut first. */
  send(deliver: () => void): void
  /** Drops everything in transit and everything that is sent later. */
  cut(): void
}

interface PipeOptions {
  profile?: LinkProfile
  /** Receiving process. Nothing arrives after its crash. */
  owner?: Owner
}

/** Simulates one direction of a connection: ordered, delayed, and lossy only when it is cut. */
export function createPipe(time: VirtualTime, random: Random, { profile, owner }: PipeOptions = {}): Pipe {
  const { latencyMs, pauseChance, pauseMs } = profile ?? random.pick(linkProfiles)
  let nextArrivalMs = 0
  let isOpen = true

  return {
    send(deliver) {
      const pause = random.chance(pauseChance) ? random.whole(...pauseMs) : 0
      const arrivesAtMs = Math.max(nextArrivalMs, time.nowMs() + random.whole(...latencyMs)) + pause
      // The next packet arrives later, because tasks due at the same time run in random order.
      nextArrivalMs = arrivesAtMs + 0.001
      const arrive = () => {
        if (isOpen) deliver()
      }
      time.after(arrivesAtMs - time.nowMs(), arrive, owner)
    },
    cut() {
      isOpen = false
    },
  }
}
