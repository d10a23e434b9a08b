import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { createRedisLink } from '../redis-link.ts'
import { type RedisScript, runScript } from '../redis-script.ts'
import type { NodeDelta, NodeList } from './node-lists.ts'
import { announceScript, beatScript, leaveScript, readScript, rosterKeys } from './roster-scripts.ts'

export interface Alive {
  node: string
  version: number
  ageMs: number
}

/** A change of more ids than this is told as a list to be read: what is kept for readers stays small. */
const maxToldIds = 200
const { leases, versions, changes, idsOf } = rosterKeys

/** What is to be said of a node and heard of the others, as Redis holds it. */
export function createRosterStore(url: string, node: string) {
  const link = createRedisLink(url, 'chat-room-presence')

  async function run(script: RedisScript, keys: string[], args: (string | number)[]): Promise<RedisReply> {
    return runScript(await link.connection(), script, keys, args)
  }

  async function announce(from: number | null, version: number, joined: string[], left: string[]): Promise<boolean> {
    const isTold = from !== null && joined.length + left.length <= maxToldIds
    const delta: NodeDelta = { node, from: from ?? -1, version, ...(isTold ? { joined, left } : {}) }
    const args = [node, from ?? '', version, JSON.stringify(delta), joined.length, ...joined, ...left]
    return (await run(announceScript, [versions, idsOf(node), changes], args)) === 1
  }

  return {
    /** Says that this node is alive; answers who else is. Whoever was silent for the lease is forgotten. */
    async beat(leaseMs: number): Promise<Alive[]> {
      const alive = (await run(beatScript, [leases, versions], [node, leaseMs])) as [string, string, string][]
      return alive.map(([name, version, age]) => ({ node: name, version: Number(version), ageMs: Number(age) }))
    },
    /** One step; answers `false` when the store does not stand where the step begins. */
    change: announce,
    /** This node's list as a whole, whatever the store had. */
    replace: (version: number, ids: string[]) => announce(null, version, ids, []),
    async read(other: string): Promise<NodeList | null> {
      const list = (await run(readScript, [versions, idsOf(other)], [other])) as [string, string[]] | null
      return list === null ? null : { version: Number(list[0]), ids: list[1] }
    },
    async leave(): Promise<void> {
      await run(leaveScript, [leases, versions, idsOf(node), changes], [node, JSON.stringify({ node })])
    },
    close: () => link.close(),
  }
}

export type RosterStore = ReturnType<typeof createRosterStore>

/** A change, or a node that goes. */
export type Told = NodeDelta | { node: string; version?: undefined }

type StreamReply = [string, [string, [string, string]][]][] | null

/** Where the newest change stands; what is read from there on is new. */
export async function newestChange(connection: RedisConnection): Promise<string> {
  const newest = (await connection.command(['XREVRANGE', changes, '+', '-', 'COUNT', '1'])) as [string, unknown][]
  return newest[0]?.[0] ?? '0-0'
}

/** Waits for changes after this one; answers with none after a while, so that a dead connection is noticed. */
export async function readChanges(connection: RedisConnection, after: string) {
  const words = ['XREAD', 'COUNT', '500', 'BLOCK', '1000', 'STREAMS', changes, after]
  const reply = (await connection.command(words)) as StreamReply
  const entries = reply?.[0]?.[1] ?? []
  return {
    last: entries.at(-1)?.[0] ?? after,
    told: entries.map(([, [, change]]) => JSON.parse(change) as Told),
  }
}
