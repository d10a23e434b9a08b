import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startBackgroundChat } from './background-chat.ts'
import type { MeasuredServer } from './measured-server.ts'

interface Tally {
  accepted: number
  rejected: number
  closed: number
  connectRejected: number
  reasons: Record<string, number>
}

const waitAtMostMs = 40_000

/**
 * Floods the server from one address over many connections while other clients chat. Continues after `seconds` until
 * `until` returns true, or until a deadline, because a server on a busy machine takes longer to detect the flood.
 */
export async function abuse(
  server: MeasuredServer,
  seconds: number,
  connections: number,
  until: (tally: Tally) => boolean = () => true,
) {
  const backgroundChat = await startBackgroundChat(server, 10)
  await server.resetLoopLoad()
  const abuser = new Worker(new URL('./abuser.ts', import.meta.url), {
    workerData: { url: server.url, address: '203.0.113.7', connections },
  })

  async function ask(request: 'tally' | 'stop'): Promise<Tally> {
    const reply = once(abuser, 'message')
    abuser.postMessage(request)
    return ((await reply) as [Tally])[0]
  }
  const startedAt = performance.now()
  await pause(seconds * 1_000)
  const deadline = performance.now() + waitAtMostMs
  while (!until(await ask('tally')) && performance.now() < deadline) await pause(200)
  const tally = await ask('stop')
  const tookSeconds = (performance.now() - startedAt) / 1_000
  await abuser.terminate()
  const { p99Ms: loopP99Ms } = await server.readLoopLoad()
  return { tally, tookSeconds, loopP99Ms, chat: await backgroundChat.stop() }
}
