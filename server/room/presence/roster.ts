/** Hears who comes and goes, on whatever node; the same id neither comes nor goes twice. */
export interface RosterListener {
  join(id: string): void
  leave(id: string): void
}

/** Who is where. What happens here is heard before the call returns; what happens on other nodes, soon after. */
export interface Roster {
  join(id: string): void
  leave(id: string): void
  /** Whoever is still here is gone from every node's list. */
  close(): Promise<void>
}

/** A process that stands alone has no others to tell. */
export function createLocalRoster(listener: RosterListener): Roster {
  return {
    join: (id) => listener.join(id),
    leave: (id) => listener.leave(id),
    async close() {},
  }
}
