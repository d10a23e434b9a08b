import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import type { Networks } from '../../limits/addresses.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { createFairQueue, type OwnerPath, type QueueLimits } from '../../limits/fair-queue.ts'

/** argon2id, version 19: the library's defaults, written out so that a change of theirs changes nothing here. */
export const argon2Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash fills one core for some 30 ms: fewer at a time than there are cores leaves room for the chat. */
export const defaultQueueLimits: QueueLimits = { concurrency: Math.max(1, availableParallelism() - 1), maxQueued: 256 }

/** Hashing runs on the thread pool, never on the event loop; what does not fit the queue is refused at once. */
export function createPasswords(limits = defaultQueueLimits) {
  const queue = createFairQueue(
    limits,
    () => new RejectionError('unavailable', 'Too many people are logging in just now. Please try again.', 2_000),
  )
  let dummyHash: Promise<string> | null = null
  /** An unknown name is checked against this, so that it takes as long as a known one. Made when somebody first logs in. */
  function getDummyHash(): Promise<string> {
    dummyHash ??= hash(randomBytes(16), argon2Options)
    return dummyHash
  }

  return {
    /** `asker` is whoever asks: networks take turns, and in them addresses. */
    hash: (asker: Networks, password: string) => queue.run(ownerPath(asker), () => hash(password, argon2Options)),
    verify: (asker: Networks, passwordHash: string | null, password: string) =>
      queue.run(ownerPath(asker), async () => {
        // Waited for in both cases: the first login takes as long for a known name as for an unknown one.
        const nobodys = await getDummyHash()
        return (await verify(passwordHash ?? nobodys, password)) && passwordHash !== null
      }),
  }
}

export type Passwords = ReturnType<typeof createPasswords>

function ownerPath({ network, site, address }: Networks): OwnerPath {
  return [network, site, address].filter((key) => key !== null)
}
