import { createHash } from 'node:crypto'
import type { RedisConnection, RedisReply } from './redis-connection.ts'

/** A Lua script: Redis runs it as one step, which nothing comes between. */
export interface RedisScript {
  readonly text: string
  readonly sha1: string
}

export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/** By its digest; a server that does not know it yet, because it was started anew, is told the text once. */
export async function runScript(
  connection: Pick<RedisConnection, 'command'>,
  { text, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<RedisReply> {
  const words = [String(keys.length), ...keys, ...args.map(String)]
  try {
    return await connection.command(['EVALSHA', sha1, ...words])
  } catch (error) {
    // Redis answers so before it has done anything.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return connection.command(['EVAL', text, ...words])
  }
}
