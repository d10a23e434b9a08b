import type { Server } from 'node:http'

/** Answers that are on their way, the last ones to clients that poll, get this long to leave. */
const maxLastAnswersMs = 1_000

/** The listener closes last, when nobody is left who would need it. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, maxLastAnswersMs)
  await Promise.race([closed, late])
  clearTimeout(timer)
}
