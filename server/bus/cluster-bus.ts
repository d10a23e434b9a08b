/**
 * What one node tells all of them, itself included: each kind with what its listeners need. For what must arrive: orders
 * are stored, and a node that is away misses what more than `maxOrders` have pushed out. What comes and goes many times a
 * second is no order.
 */
export type Order = { kind: 'token-revoked'; tokenHash: string }

export interface Orders {
  /** Resolves when every node will hear it, also one that cannot be reached just now. */
  give(order: Order): Promise<void>
  /** Calls `obey` for each order given from now on, on whatever node; it may come twice. */
  listen(obey: (order: Order) => void): void
}

/** A process that stands alone tells itself, at once. */
export function createLocalOrders(): Orders {
  const listeners: ((order: Order) => void)[] = []
  return {
    async give(order) {
      for (const obey of listeners) obey(order)
    },
    listen: (obey) => void listeners.push(obey),
  }
}
