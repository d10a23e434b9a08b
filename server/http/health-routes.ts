import type { FastifyInstance } from 'fastify'
import { probes } from '../../contract/routes.ts'

/** A check writes to the disk: however often it is asked for, it is made no more often than this. */
const checkEveryMs = 250
/** Whoever asks gives up after some seconds; a disk that takes this long to store a byte is not ready. */
const maxCheckMs = 2_000

/** Alive: the process answers. Ready: messages and accounts can be stored, and no restart is under way. */
export function serveProbes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  let checkedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<boolean> = Promise.resolve(false)

  function recentlyReady(): Promise<boolean> {
    const now = performance.now()
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now
      answer = inTime(isReady())
    }
    return answer
  }

  app.get(probes.live, { logLevel: 'silent' }, async () => ({ status: 'ok' }))
  app.get(probes.ready, { logLevel: 'silent' }, async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    if (await recentlyReady()) return { status: 'ok' }
    return reply.code(503).send({ status: 'unavailable' })
  })
}

async function inTime(ready: Promise<boolean>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), maxCheckMs)
  try {
    return await Promise.race([ready, late])
  } finally {
    clearTimeout(timer)
  }
}
