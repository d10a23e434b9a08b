import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startChatters } from './chatters.ts'
import type { MeasuredServer } from './measured-server.ts'

interface Tally {
  accepted: number
  refused: number
  cutOff: number
  keptOut: number
  reasons: Record<string, number>
}

const waitAtMostMs = 40_000

/**
 * One address at full speed over many connections, while others chat. On a machine that does ten other things as well
 * it takes longer to be noticed: `until` is waited for.
 */
export async function abuse(
  server: MeasuredServer,
  seconds: number,
  connections: number,
  until: (tally: Tally) => boolean = () => true,
) {
  const chatters = await startChatters(server, 10)
  await server.forgetLoopDelay()
  const abuser = new Worker(new URL('./abuser.ts', import.meta.url), {
    workerData: { url: server.url, address: '203.0.113.7', connections },
  })

  async function ask(request: 'tally' | 'stop'): Promise<Tally> {
    const answered = once(abuser, 'message')
    abuser.postMessage(request)
    return ((await answered) as [Tally])[0]
  }
  const startedAt = performance.now()
  await pause(seconds * 1_000)
  const deadline = performance.now() + waitAtMostMs
  while (!until(await ask('tally')) && performance.now() < deadline) await pause(200)
  const tally = await ask('stop')
  const tookSeconds = (performance.now() - startedAt) / 1_000
  await abuser.terminate()
  return { tally, tookSeconds, loopP99Ms: await server.loopDelayP99Ms(), chat: await chatters.stop() }
}
