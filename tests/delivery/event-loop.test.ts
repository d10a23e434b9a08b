import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { startTurnCostServer } from '../security/event-loop-cost/turn-cost-server.ts'
import { waitForConnect, collectSocketEvents } from '../support/socket-events.ts'

const messagesPerTick = 20
const tickMs = 20
const ticksPerRound = 25
const maxRounds = 4
const maxTurnMs = 50

test('DELIVERY-1 the event loop stays responsive while 1,000 messages a second are stored', async () => {
  const server = await startTurnCostServer({ MESSAGES_PER_SECOND: '0' })
  onTestFinished(() => server.close())
  const sender = io(server.url, { transports: ['websocket'], auth: { channel: 'messages' } })
  onTestFinished(() => void sender.close())
  await waitForConnect(sender)
  const received = collectSocketEvents<[ChatMessage]>(sender, events.receiveMessage)
  let sent = 0
  async function worstTurnOfRound(): Promise<number> {
    await server.takeWorstTurnMs()
    await new Promise<void>((resolve) => {
      let ticks = 0
      const ticking = setInterval(() => {
        for (let i = 0; i < messagesPerTick; i++) {
          sender.emit(events.sendMessage, { username: 'alice', message: `number ${sent++}`, createdTime: Date.now() })
        }
        if (++ticks < ticksPerRound) return
        clearInterval(ticking)
        resolve()
      }, tickMs)
    })
    await received.atLeast(sent, 60_000)
    return server.takeWorstTurnMs()
  }
  const turnsMs: number[] = []
  while (turnsMs.length < maxRounds && !turnsMs.some((turnMs) => turnMs < maxTurnMs)) {
    turnsMs.push(await worstTurnOfRound())
  }
  expect(received.seen).toHaveLength(sent)
  // Compilation and garbage collection only add to the cost of a turn, so the best round shows the cost of storing. The
  // test ends at the first round below the limit.
  expect(Math.min(...turnsMs), JSON.stringify(turnsMs)).toBeLessThan(maxTurnMs)
})
