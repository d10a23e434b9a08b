import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { createRedisLink } from '../redis-link.ts'
import { type RedisScript, runScript } from '../redis-script.ts'
import type { NodeDelta, NodeList } from './node-lists.ts'
import { heartbeatScript, leaveScript, publishScript, readScript, rosterKeys } from './roster-scripts.ts'

interface LiveNode {
  node: string
  version: number
  ageMs: number
}

/** Maximum number of ids in a published change. For a larger change, other nodes read the whole list. */
const maxIdsPerChange = 200
const { leases, versions, changes, idsOf } = rosterKeys

/** Creates the commands for the lists of all nodes in Redis. `node` is the id of this node. */
export function createRosterStore(url: string, node: string) {
  const link = createRedisLink(url, 'chat-room-presence')

  async function run(script: RedisScript, keys: string[], args: (string | number)[]): Promise<RedisReply> {
    return runScript(await link.connection(), script, keys, args)
  }

  async function publish(from: number | null, version: number, joined: string[], left: string[]): Promise<boolean> {
    const hasIds = from !== null && joined.length + left.length <= maxIdsPerChange
    const delta: NodeDelta = { node, from: from ?? -1, version, ...(hasIds ? { joined, left } : {}) }
    const args = [node, from ?? '', version, JSON.stringify(delta), joined.length, ...joined, ...left]
    return (await run(publishScript, [versions, idsOf(node), changes], args)) === 1
  }

  return {
    /** Renews the lease of this node, removes nodes whose lease has expired, and returns the live nodes with a list. */
    async heartbeat(leaseMs: number): Promise<LiveNode[]> {
      const nodes = (await run(heartbeatScript, [leases, versions], [node, leaseMs])) as [string, string, string][]
      return nodes.map(([name, version, age]) => ({ node: name, version: Number(version), ageMs: Number(age) }))
    },
    /** Stores and publishes a change. Resolves to `false` when the stored version is not `from`. */
    change: publish,
    /** Replaces the whole list of this node. */
    replace: (version: number, ids: string[]) => publish(null, version, ids, []),
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

/** Change of a node's list; without a version, the node has stopped. */
export type RosterChange = NodeDelta | { node: string; version?: undefined }

type StreamReply = [string, [string, [string, string]][]][] | null

/** Returns the id of the newest change, after which to read. */
export async function newestChangeId(connection: RedisConnection): Promise<string> {
  const newest = (await connection.command(['XREVRANGE', changes, '+', '-', 'COUNT', '1'])) as [string, unknown][]
  return newest[0]?.[0] ?? '0-0'
}

/** Waits for changes after this id. Returns none after a second, so that a lost connection is detected. */
export async function readChanges(connection: RedisConnection, after: string) {
  const words = ['XREAD', 'COUNT', '500', 'BLOCK', '1000', 'STREAMS', changes, after]
  const reply = (await connection.command(words)) as StreamReply
  const entries = reply?.[0]?.[1] ?? []
  return {
    lastId: entries.at(-1)?.[0] ?? after,
    changes: entries.map(([, [, change]]) => JSON.parse(change) as RosterChange),
  }
}
