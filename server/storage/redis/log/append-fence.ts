import type { RedisConnection } from '../redis-connection.ts'
import { redisScript } from '../redis-script.ts'
import { appendScript } from './log-scripts.ts'

/** Rejects an append of a node that has not processed all cluster events, such as the revocation of the sender. */
export interface AppendFence {
  /** Stream of the events. The fourth value of an entry identifies it. */
  readonly key: string
  /** Identifies the last event that this node has processed; empty if none. */
  processed(): string
  /** Processes all events up to now. */
  catchUp(connection: RedisConnection): Promise<void>
}

/** Additional last key and argument: key and last processed event of the fence. Returns { 'behind' } on a rejection. */
export const fencedAppendScript = redisScript(`
local newest = redis.call('XREVRANGE', table.remove(KEYS), '+', '-', 'COUNT', 1)[1]
if (newest and newest[2][4] or '') ~= table.remove(ARGV) then return { 'behind' } end
${appendScript.text}`)

/** An event can be published during each retry. More than this many in a row mean a defect. */
export const maxFenceRetries = 20
