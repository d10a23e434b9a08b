import { overloaded } from '../../base/common-rejections.ts'
import { networksOf, widestNetwork } from '../../limits/addresses.ts'
import { createFairQueue } from '../../limits/fair-queue.ts'

/** Maximum number of concurrent reads. An append waits for at most this many in the thread of the log. */
export const maxOutstandingReads = 2

/**
 * Runs reads of the log for replay, a few at a time, so that appends do not wait for long. The networks take turns: a
 * network that requests a thousand pages, from any number of its addresses, does not delay the others. The number of queued
 * reads is not limited, because each subscriber waits for at most one.
 */
export function createReadQueue() {
  const queue = createFairQueue({ concurrency: maxOutstandingReads, maxQueued: Infinity }, overloaded)
  return {
    /** Runs `read` when it is the turn of the network of `address`. */
    run: <Result>(address: string, read: () => Promise<Result>): Promise<Result> =>
      queue.run([widestNetwork(networksOf(address))], read),
  }
}
