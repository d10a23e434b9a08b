import { once } from 'node:events'
import type { Socket as EngineSocket } from 'engine.io'
import { expect, onTestFinished, test, vi } from 'vitest'
import { events } from '../../contract/events.ts'
import { socketPath } from '../../contract/routes.ts'
import { networkTurnMs } from '../../server/limits/input-turns.ts'
import { startServer } from '../support/start-server.ts'
import { startEngine } from './engine-connections.ts'
import { openRawPolling } from './raw-polling.ts'

/** Makes each polling response of this process use up the time of its network in this turn of the event loop. */
async function slowDownResponses(): Promise<() => void> {
  const { url, engine } = await startEngine()
  const arrived = once(engine, 'connection') as Promise<[EngineSocket]>
  await openRawPolling(url)
  const [{ transport }] = await arrived
  const polling = Object.getPrototypeOf(transport) as EngineSocket['transport']
  const send = Reflect.get(polling, 'send') as (this: object, packets: unknown[]) => void
  const spy = vi.spyOn(polling, 'send').mockImplementation(function (this: object, packets) {
    const startedMs = performance.now()
    while (performance.now() - startedMs < networkTurnMs);
    send.call(this, packets)
  })
  return () => spy.mockRestore()
}

test('SECURITY-3 clients of a network connect while its responses wait for their turns', async () => {
  const server = await startServer({ TRUST_PROXY: '127.0.0.1' })
  const restore = await slowDownResponses()
  onTestFinished(restore)
  const headers = { 'x-forwarded-for': '198.51.100.1' }
  async function openSession() {
    const address = `${server.url}${socketPath}?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(address, { headers })).text()).slice(1)) as { sid: string }
    const session = `${address}&sid=${sid}`
    const poll = async () => (await fetch(session, { headers })).text()
    const connect = () => fetch(session, { method: 'POST', body: '40{"channel":"messages"}', headers })
    return { poll, connect, firstPoll: poll() }
  }
  const openSessions = () => Promise.all(Array.from({ length: 10 }, openSession))
  const readers = await openSessions()
  await Promise.all(readers.map(({ connect }) => connect()))
  for (const { firstPoll } of readers) expect(await firstPoll).toMatch(/^40/)
  for (const { poll } of readers) expect(await poll()).toContain(events.cursor)
  const newcomers = await openSessions()
  const reads = readers.map(({ poll }) => poll())
  await server.client().emitWithAck(events.sendMessage, { username: 'alice', message: 'hello', createdTime: 1 })
  await Promise.all(newcomers.map(({ connect }) => connect()))
  for (const { firstPoll } of newcomers) expect(await firstPoll).toMatch(/^40/)
  for (const read of reads) expect(await read).toContain(events.receiveMessage)
})
