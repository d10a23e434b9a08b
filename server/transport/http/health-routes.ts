import type { FastifyInstance } from 'fastify'
import { probes } from '../../../contract/routes.ts'
import { valueOr } from '../../base/with-deadline.ts'

/** Minimum interval of checks. A check can write to the disk. */
const checkEveryMs = 250
/** Timeout of a check. A probe needs a longer timeout to get the 503 response. */
const maxCheckMs = 2_000

export interface Readiness {
  isReady: boolean
  /**
   * Whether accounts are available. The response body reports it. `isReady` depends on it only if accounts are
   * required.
   */
  hasAccounts: boolean
}

/** Serves the probes. Live: the process responds. Ready: `check` resolves in time to a ready state. */
export function serveProbes(app: FastifyInstance, check: () => Promise<Readiness>): void {
  let checkedAt = Number.NEGATIVE_INFINITY
  let readiness: Promise<Readiness> = Promise.resolve(timedOut)

  function recentReadiness(): Promise<Readiness> {
    const now = performance.now()
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now
      readiness = valueOr(check(), maxCheckMs, () => timedOut)
    }
    return readiness
  }

  app.get(probes.live, { logLevel: 'silent' }, async () => ({ status: 'ok' }))
  app.get(probes.ready, { logLevel: 'silent' }, async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    const { isReady, hasAccounts } = await recentReadiness()
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ok' : 'unavailable',
      ...(hasAccounts ? {} : { accounts: 'unavailable' }),
    })
  })
}

const timedOut: Readiness = { isReady: false, hasAccounts: true }
