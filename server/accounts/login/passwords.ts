import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { monotonicMs } from '../../base/monotonic-ms.ts'
import { putNewest } from '../../base/newest-entries.ts'
import { type Networks, widestNetwork } from '../../limits/addresses.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { createFairQueue, type OwnerPath, type QueueLimits } from '../../limits/fair-queue.ts'
import { maxBuckets } from '../../limits/network-buckets.ts'

/** Options of argon2id: the defaults of the library, written out so that an update of the library does not change them. */
export const argon2Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Maximum number of concurrent hashes. One of the four threads of libuv's pool stays free for file reads and name lookups. */
export const maxConcurrentHashes = 3

/**
 * Default limits of the queue. Each hash uses one core for about 30 ms. On a machine with several cores, one stays free
 * for the event loop.
 */
export const defaultQueueLimits: QueueLimits = {
  concurrency: Math.min(maxConcurrentHashes, Math.max(1, availableParallelism() - 1)),
  maxQueued: 256,
}

/** Time after a failed login for which its network shares turns in the queue with the other networks of failed logins. */
const failureMs = 15 * 60_000

/**
 * Hashes and verifies passwords on the thread pool. The networks of failed logins together have every second turn, so
 * that a login from another network does not wait for hundreds of their tasks. A full queue rejects a task of these
 * networks or of the others, whichever have more tasks.
 */
export function createPasswords(limits = defaultQueueLimits) {
  const failures = new Map<string, { atMs: number }>()
  const queue = createFairQueue(
    limits,
    () => new RejectionError('unavailable', 'Too many logins at the moment. Please try again.', 2_000),
  )
  let dummyHash: Promise<string> | null = null
  /** Returns a hash to check for unknown names, so that they take as long as known ones. */
  function getDummyHash(): Promise<string> {
    dummyHash ??= hash(randomBytes(16), argon2Options).catch((error: unknown) => {
      dummyHash = null
      throw error
    })
    return dummyHash
  }

  function ownerPath(client: Networks): OwnerPath {
    const failure = failures.get(widestNetwork(client))
    const hasFailed = failure !== undefined && monotonicMs() - failure.atMs < failureMs
    const { network, site, address } = client
    return [hasFailed ? 'failed' : 'others', ...[network, site, address].filter((key) => key !== null)]
  }

  return {
    hash: (client: Networks, password: string) => queue.run(ownerPath(client), () => hash(password, argon2Options)),
    async verify(client: Networks, passwordHash: string | null, password: string): Promise<boolean> {
      const isCorrect = await queue.run(ownerPath(client), async () => {
        // Wait for the dummy hash for known names too, so that the first login takes equally long for both.
        const dummy = await getDummyHash()
        return (await verify(passwordHash ?? dummy, password)) && passwordHash !== null
      })
      if (!isCorrect) putNewest(failures, widestNetwork(client), { atMs: monotonicMs() }, maxBuckets)
      return isCorrect
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>
