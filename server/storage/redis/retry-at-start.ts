import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../base/start-error.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { RedisError, RedisTimeoutError } from './redis-error.ts'

/** Time in which a start repeats a step that failed because Redis did not respond in time, or was loading its data. */
const maxRetryMs = 10_000
const retryDelayMs = 200

/**
 * Runs a step of the start. Repeats it if Redis does not respond in time, for example on a busy disk, or loads its data.
 * An error of Redis becomes one line that names the setting, without the password.
 */
export async function retryAtStart<Value>(url: string, step: () => Promise<Value>): Promise<Value> {
  const giveUpAtMs = performance.now() + maxRetryMs
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isTemporary(error) || performance.now() > giveUpAtMs) throw toStartError(url, error)
      await sleep(retryDelayMs)
    }
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof RedisTimeoutError || (error instanceof Error && error.message.startsWith('LOADING '))
}

function toStartError(url: string, error: unknown): unknown {
  if (!(error instanceof RedisError)) return error
  return new StartError(
    `REDIS_URL: ${redisAddress(url)} cannot be used (${error.message}); check Redis, and the address and login in REDIS_URL`,
  )
}
