import type { FastifyInstance } from 'fastify'
import { probes } from '../../contract/routes.ts'

/** A check writes to the disk: however often it is asked for, it is made no more often than this. */
const checkEveryMs = 250

/** Alive: the process answers. Ready: a message could be stored, and no restart is under way. */
export function serveProbes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  let checkedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<boolean> = Promise.resolve(false)

  function recentlyReady(): Promise<boolean> {
    const now = performance.now()
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now
      answer = isReady()
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
