import type { FastifyInstance } from 'fastify'
import { probes } from '../../contract/routes.ts'

/** Alive: the process answers. Ready: a message could be stored, and no restart is under way. */
export function serveProbes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get(probes.live, { logLevel: 'silent' }, async () => ({ status: 'ok' }))
  app.get(probes.ready, { logLevel: 'silent' }, async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    if (await isReady()) return { status: 'ok' }
    return reply.code(503).send({ status: 'unavailable' })
  })
}
