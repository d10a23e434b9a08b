import { unrefSleep } from '../../base/unref-sleep.ts'
import { networksOf, widestNetwork } from '../../limits/addresses.ts'
import type { ByteBudget } from '../../limits/byte-budget.ts'

/** Maximum number of pages sent in one turn of the event loop, so that mass reconnects do not delay new messages. */
const maxPagesPerTurn = 4
/** Bytes that a page reserves before its size is known. */
const reservedPageBytes = 32 * 1_024

interface PageOwner {
  readonly address: string
}

/**
 * Limits how many replay pages are sent per turn of the event loop. The networks of waiting pages take turns. Charged
 * pages also wait for the byte budget of their owner.
 */
export function createPageTurns(budget: ByteBudget) {
  const waiting = new Map<string, (() => void)[]>()
  /** Owners with reserved bytes for a page that is not charged yet. */
  const reserved = new WeakSet<PageOwner>()
  let remaining = maxPagesPerTurn
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      remaining = maxPagesPerTurn
      startWaiting()
      if (waiting.size > 0) schedule()
    })
  }

  function startWaiting(): void {
    // A network that still waits is put back at the end, and the same loop reaches it again.
    for (const [network, queue] of waiting) {
      if (remaining === 0) return
      waiting.delete(network)
      const start = queue.shift()
      if (queue.length > 0) waiting.set(network, queue)
      if (start === undefined) continue
      remaining--
      start()
    }
  }

  function takeTurn({ address }: PageOwner): Promise<void> | void {
    schedule()
    if (remaining > 0 && waiting.size === 0) {
      remaining--
      return
    }
    return new Promise((resolve) => {
      const network = widestNetwork(networksOf(address))
      const queue = waiting.get(network) ?? []
      queue.push(resolve)
      waiting.set(network, queue)
    })
  }

  /**
   * Reserves the bytes of a page and returns the wait in milliseconds. Returns 0 if the owner still has the reservation of
   * an earlier request, which was replaced while it waited.
   */
  function reserveOnce(owner: PageOwner): number {
    if (reserved.has(owner)) return 0
    reserved.add(owner)
    return budget.reserve(owner, reservedPageBytes)
  }

  return {
    /** Returns or resolves when the next page may be sent. A charged page waits for the budget of its owner. */
    take(owner: PageOwner, isCharged: boolean): Promise<void> | void {
      const waitMs = isCharged ? reserveOnce(owner) : 0
      return waitMs === 0 ? takeTurn(owner) : unrefSleep(waitMs).then(() => takeTurn(owner))
    },
    /**
     * Charges the size of a page, minus the reserved bytes. A smaller page returns the rest to the budget. Does nothing if the
     * owner has no reservation.
     */
    charge(owner: PageOwner, pageBytes: number): void {
      if (reserved.delete(owner)) budget.reserve(owner, pageBytes - reservedPageBytes)
    },
  }
}

export type PageTurns = ReturnType<typeof createPageTurns>
