import type { FastifyInstance } from 'fastify'
import { probes } from '../../../contract/routes.ts'

/** A check writes to the disk: however often it is asked for, it is made no more often than this. */
const checkEveryMs = 250
/** Whoever asks gives up after some seconds; a disk that takes this long to store a byte is not ready. */
const maxCheckMs = 2_000

export interface Readiness {
  isReady: boolean
  /** Said in the body; whether it also means not ready is for the caller to judge. */
  hasAccounts: boolean
}

/** Alive: the process answers. Ready: messages can be stored, and no restart is under way. */
export function serveProbes(app: FastifyInstance, check: () => Promise<Readiness>): void {
  let checkedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<Readiness> = Promise.resolve(notInTime)

  function recentReadiness(): Promise<Readiness> {
    const now = performance.now()
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now
      answer = inTime(check())
    }
    return answer
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

const notInTime: Readiness = { isReady: false, hasAccounts: true }

async function inTime(ready: Promise<Readiness>): Promise<Readiness> {
  const { promise: late, resolve } = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => resolve(notInTime), maxCheckMs)
  try {
    return await Promise.race([ready, late])
  } finally {
    clearTimeout(timer)
  }
}
