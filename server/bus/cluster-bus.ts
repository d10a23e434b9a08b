/**
 * Event for all nodes of the cluster, including the node that publishes it. Redis stores events: a node that was
 * disconnected receives them later, unless Redis has trimmed or lost them meanwhile. The bus is not for state that
 * changes many times a second.
 */
export type ClusterEvent =
  | { kind: 'token-revoked'; tokenHash: string }
  /** Accounts were deleted or changed: every node clears its cached list of users and loads the roles again. */
  | { kind: 'users-changed' }
  /** Roles, rules or restrictions were changed: every node loads them again. */
  | { kind: 'moderation-changed' }

type ClusterListener = (event: ClusterEvent) => void

export interface ClusterBus {
  /** Publishes an event. Resolves when Redis has stored the event; on a single node, when all listeners have received it. */
  publish(event: ClusterEvent): Promise<void>
  /**
   * Calls the listener for each event that any node publishes from now on. An event may be delivered again. For example,
   * a node reads all stored events if Redis has trimmed or lost the last event of the node. So an event names only the
   * data to load again or the token to revoke.
   */
  subscribe(listener: ClusterListener): void
}

/** Creates the bus of a single node, which delivers at once. */
export function createLocalBus(): ClusterBus {
  const listeners: ClusterListener[] = []
  return {
    async publish(event) {
      for (const listener of listeners) listener(event)
    },
    subscribe: (listener) => void listeners.push(listener),
  }
}
