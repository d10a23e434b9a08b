import { networksOf, widestNetwork } from '../../limits/addresses.ts'

/** Maximum number of concurrent reads. An append waits for at most this many in the thread of the log. */
export const maxOutstandingReads = 2

type ReadTask = () => Promise<void>

/**
 * Runs reads of the log for replay, a few at a time, so that appends do not wait for long. The networks take turns: one
 * that requests a thousand pages, from any number of its addresses, does not delay the others.
 */
export function createReadQueue() {
  const queues = new Map<string, ReadTask[]>()
  let outstanding = 0

  function startNext(): void {
    if (outstanding >= maxOutstandingReads) return
    for (const [network, queue] of queues) {
      // Move the network to the end, or remove it: a Map iterates in insertion order.
      queues.delete(network)
      const task = queue.shift()
      if (queue.length > 0) queues.set(network, queue)
      if (task === undefined) continue
      outstanding++
      void task().finally(() => {
        outstanding--
        startNext()
      })
      return startNext()
    }
  }

  return {
    /** Runs `read` when it is the turn of the network of `address`. */
    run<Result>(address: string, read: () => Promise<Result>): Promise<Result> {
      return new Promise((resolve, reject) => {
        const network = widestNetwork(networksOf(address))
        const queue = queues.get(network) ?? []
        queue.push(() => read().then(resolve, reject))
        queues.set(network, queue)
        startNext()
      })
    },
  }
}
