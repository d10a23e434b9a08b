import { networksOf, widestNetwork } from '../../limits/addresses.ts'

/** Reads that stand before an append in the log's thread, at most. */
export const maxOutstandingReads = 2

type Work = () => Promise<void>

/**
 * Reads of the log for replay, a few at a time, so that storing what is said never waits for long. Each network has
 * its turn: one that asks for a thousand pages, from however many addresses, delays itself, not the others.
 */
export function createReadTurns() {
  const queues = new Map<string, Work[]>()
  let outstanding = 0

  function next(): void {
    if (outstanding >= maxOutstandingReads) return
    for (const [network, queue] of queues) {
      // To the end of the line, or out of it: a Map goes through its keys in the order of their insertion.
      queues.delete(network)
      const work = queue.shift()
      if (queue.length > 0) queues.set(network, queue)
      if (work === undefined) continue
      outstanding++
      void work().finally(() => {
        outstanding--
        next()
      })
      return next()
    }
  }

  return {
    take<Result>(address: string, read: () => Promise<Result>): Promise<Result> {
      return new Promise((resolve, reject) => {
        const network = widestNetwork(networksOf(address))
        const queue = queues.get(network) ?? []
        queue.push(() => read().then(resolve, reject))
        queues.set(network, queue)
        next()
      })
    },
  }
}
