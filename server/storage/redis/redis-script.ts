import { createHash } from 'node:crypto'
import type { RedisConnection, RedisReply } from './redis-connection.ts'

/** Lua script. Redis runs it atomically. */
export interface RedisScript {
  readonly text: string
  readonly sha1: string
}

export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its digest. Sends the text when the server has not cached the script, as after a restart. */
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
    // NOSCRIPT means that nothing has run, so a retry is safe.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return connection.command(['EVAL', text, ...words])
  }
}
