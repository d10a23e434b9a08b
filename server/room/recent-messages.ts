import { skipFrames } from '../fanout/frames.ts'
import { type EncodedPackets, packetsOfFrames } from '../fanout/encoded-packets.ts'

const maxRecent = 2_000

/** What one flush sent to everybody. */
interface Batch {
  first: number
  count: number
  frames: Buffer
}

/**
 * The newest messages in memory, as they were sent: a crowd that comes back neither asks the disk for the same page
 * each nor has it encoded again.
 */
export function createRecentMessages() {
  let batches: Batch[] = []
  let held = 0

  function trim(): void {
    let dropped = 0
    while (held > maxRecent) held -= batches[dropped++]?.count ?? 0
    batches = batches.slice(dropped)
  }

  return {
    add(batch: Batch): void {
      batches.push(batch)
      held += batch.count
      // Rarely and by half: moving the whole array for each flush would cost more than what it holds.
      if (held > maxRecent * 2) trim()
    },
    /** A page from `seq` on; `null` when it is not held here. */
    from(seq: number, maxMessages: number): { packets: EncodedPackets; count: number } | null {
      const start = batches.findLastIndex(({ first }) => first <= seq)
      if (start < 0) return null
      const pieces: Buffer[] = []
      let count = 0
      for (let index = start; index < batches.length && count < maxMessages; index++) {
        const batch = batches[index] as Batch
        const skipped = Math.max(0, seq - batch.first)
        const taken = Math.min(batch.count - skipped, maxMessages - count)
        const begin = skipFrames(batch.frames, 0, skipped)
        pieces.push(batch.frames.subarray(begin, skipFrames(batch.frames, begin, taken)))
        count += taken
      }
      return { packets: packetsOfFrames(Buffer.concat(pieces)), count }
    },
  }
}
