import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Refused } from '../refused.ts'

/** argon2id, version 19: the library's defaults, written out so that a change of theirs changes nothing here. */
const costs = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

export interface PasswordLimits {
  /** Each hash fills one core for some 30 ms: fewer at a time than there are cores leaves room for the chat. */
  concurrency: number
  maxQueued: number
}

const defaultLimits: PasswordLimits = { concurrency: Math.max(1, availableParallelism() - 1), maxQueued: 256 }

/** Hashing runs on the thread pool, never on the event loop; what does not fit the queue is refused at once. */
export async function createPasswords({ concurrency, maxQueued } = defaultLimits) {
  let running = 0
  const queue: (() => void)[] = []

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= concurrency) {
      if (queue.length >= maxQueued) {
        throw new Refused('unavailable', 'Too many people are logging in just now. Please try again.', 2_000)
      }
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }

  // An unknown name is checked against this, so that it takes as long as a known one.
  const nobodysHash = await hash(randomBytes(16), costs)

  return {
    hash: (password: string) => inTurn(() => hash(password, costs)),
    verify: (passwordHash: string | null, password: string) =>
      inTurn(async () => (await verify(passwordHash ?? nobodysHash, password)) && passwordHash !== null),
  }
}

export type Passwords = Awaited<ReturnType<typeof createPasswords>>
