/** Listener for the joins and leaves of all nodes. Joins and leaves of one id alternate. */
export interface RosterListener {
  join(id: string): void
  leave(id: string): void
}

/** Exchange of joins and leaves between nodes. The listener gets local ones synchronously, remote ones soon after. */
export interface Roster {
  join(id: string): void
  leave(id: string): void
  /** Removes the remaining ids of this node from the lists of other nodes. */
  close(): Promise<void>
}

/** Creates the roster of a single process. */
export function createLocalRoster(listener: RosterListener): Roster {
  return {
    join: (id) => listener.join(id),
    leave: (id) => listener.leave(id),
    async close() {},
  }
}
