import type { Random } from '../faults/random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** How a connection behaves: a quick one, a slow one, or one whose reader now and then sleeps. */
export interface Weather {
  latencyMs: [min: number, max: number]
  pauseChance: number
  pauseMs: [min: number, max: number]
}

const weathers: readonly Weather[] = [
  { latencyMs: [0, 2], pauseChance: 0, pauseMs: [0, 0] },
  { latencyMs: [1, 60], pauseChance: 0.02, pauseMs: [50, 400] },
  { latencyMs: [20, 400], pauseChance: 0.05, pauseMs: [200, 3_000] },
]

export interface Pipe {
  /** Arrives after all that was sent before it, or never. Answers when it has arrived, if somebody wants to know. */
  send(deliver: () => void): void
  /** What is on its way is lost. */
  cut(): void
}

interface PipeOptions {
  weather?: Weather
  /** Who takes what arrives; to the dead nothing does. */
  owner?: Owner
}

/** One direction of a connection: in order, late, and gone when it is cut. */
export function createPipe(time: VirtualTime, random: Random, { weather, owner }: PipeOptions = {}): Pipe {
  const { latencyMs, pauseChance, pauseMs } = weather ?? random.pick(weathers)
  let clearAtMs = 0
  let open = true

  return {
    send(deliver) {
      const pause = random.chance(pauseChance) ? random.whole(...pauseMs) : 0
      const arrivesAtMs = Math.max(clearAtMs, time.nowMs() + random.whole(...latencyMs)) + pause
      // Just behind what is before it: two things due at the same moment would come in any order.
      clearAtMs = arrivesAtMs + 0.001
      const arrive = () => {
        if (open) deliver()
      }
      time.after(arrivesAtMs - time.nowMs(), arrive, owner)
    },
    cut() {
      open = false
    },
  }
}
