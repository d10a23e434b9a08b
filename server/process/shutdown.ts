import { constants } from 'node:os'
import { endByForce } from '../base/end-process.ts'
import type { ServerLog } from '../observe/create-logger.ts'

/** A drain that takes longer is given up: a supervisor that waits 15 s before it kills sees an orderly end. */
const maxDrainMs = 14_000

/** A terminal's Ctrl-C reaches the server more than once when npm and the launcher pass it on. */
const samePressMs = 1_500

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

interface Stoppable {
  drain: () => Promise<void>
}

/** Every signal that asks for an end drains first. A second Ctrl-C ends at once, for people who do not want to wait. */
export function stopOnSignals(server: Stoppable, { log, exit }: ServerLog): void {
  let askedAt: number | null = null

  function onSignal(signal: (typeof stopSignals)[number]): void {
    if (askedAt !== null) {
      if (signal === 'SIGINT' && performance.now() - askedAt > samePressMs) void exit(128 + constants.signals.SIGINT)
      return
    }
    askedAt = performance.now()
    const hint = signal === 'SIGINT' ? '; press Ctrl-C again to end at once' : ''
    log.info({ signal }, `closing: what was sent is stored and answered, then connections are let go${hint}`)
    void drain()
  }

  async function drain(): Promise<void> {
    setTimeout(() => {
      log.fatal(`not closed within ${maxDrainMs / 1_000} s; the process ends by force`)
      void endByForce()
    }, maxDrainMs).unref()
    try {
      await server.drain()
    } catch (error) {
      log.fatal({ err: error }, 'closing failed; the process ends by force')
      await endByForce()
    }
    log.info('closed')
    await exit(0)
  }

  for (const signal of stopSignals) process.on(signal, onSignal)
}

/**
 * What reaches neither a handler nor a caller is a defect: the log is crash-safe, and whoever supervises starts anew. Node
 * would end as well, but with a stack on the standard error instead of a line in the log.
 */
export function endOnDefects({ log, exit }: ServerLog): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'ended because of a defect')
    void exit(1)
  })
  // By the first Node would open its debugger to everybody on this machine, by the second end without a drain.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => log.warn(`${signal} does nothing here`))
}
