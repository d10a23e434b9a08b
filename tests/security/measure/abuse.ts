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

/** One address at full speed over many connections, while others chat. */
export async function abuse(server: MeasuredServer, seconds: number, connections: number) {
  const chatters = await startChatters(server, 10)
  await server.forgetLoopDelay()
  const abuser = new Worker(new URL('./abuser.ts', import.meta.url), {
    workerData: { url: server.url, address: '203.0.113.7', connections },
  })
  await pause(seconds * 1_000)
  const answered = once(abuser, 'message')
  abuser.postMessage('stop')
  const [tally] = (await answered) as [Tally]
  await abuser.terminate()
  return { tally, loopP99Ms: await server.loopDelayP99Ms(), chat: await chatters.stop() }
}
