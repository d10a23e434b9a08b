import type { ServerLog } from '../observe/create-logger.ts'

/**
 * Deadline of a drain. At the deadline, the process logs the timeout and kills itself, before a supervisor with a
 * timeout of 15 s kills it.
 */
export const maxDrainMs = 14_000

/** Time within which several SIGINTs count as one: npm and the launcher forward the SIGINT of a Ctrl-C. */
const samePressMs = 1_500

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

interface Stoppable {
  drain: () => Promise<void>
}

/** Drains the server on the first stop signal, then exits. A Ctrl-C more than `samePressMs` later exits at once. */
export function stopOnSignals(server: Stoppable, { log, exit, exitBySignal }: ServerLog): void {
  let stopRequestedAt: number | null = null

  function onSignal(signal: (typeof stopSignals)[number]): void {
    if (stopRequestedAt !== null) {
      if (signal === 'SIGINT' && performance.now() - stopRequestedAt > samePressMs) void exitBySignal(signal)
      return
    }
    stopRequestedAt = performance.now()
    const hint = signal === 'SIGINT' ? '; press Ctrl-C again after two seconds to exit at once' : ''
    log.info({ signal }, `shutdown started: storing and acknowledging messages, then closing connections${hint}`)
    void drain()
  }

  async function drain(): Promise<void> {
    setTimeout(() => {
      log.fatal({ timeoutMs: maxDrainMs }, 'shutdown timed out: killing the process; check the disk or Redis')
      void exitBySignal('SIGKILL')
    }, maxDrainMs).unref()
    try {
      await server.drain()
    } catch (error) {
      log.fatal({ err: error }, 'shutdown failed: killing the process; check the disk or Redis')
      await exitBySignal('SIGKILL')
    }
    log.info('shutdown complete')
    await exit(0)
  }

  for (const signal of stopSignals) process.on(signal, onSignal)
}

/**
 * Makes an uncaught exception write a log line and kill the process. The message log is crash-safe, and the supervisor restarts the
 * process. Node alone would exit with a stack on the standard error instead of a log line, and wait for a hanging thread.
 */
export function endOnDefects({ log, exitBySignal }: ServerLog): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught exception: killing the process; report this defect')
    void exitBySignal('SIGKILL')
  })
  // On SIGUSR1, Node would open its debugger to every user of this machine; on SIGUSR2, it would exit without a drain.
  for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => log.warn({ signal }, 'signal ignored'))
}
