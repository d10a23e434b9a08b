import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { events } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import { addressCost, maxDebtMs } from '../../server/limits/cost-meter.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startTurnCostServer } from './event-loop-cost/turn-cost-server.ts'
import { startBehindProxy } from './from-address.ts'
import { encodeFrame, opcodes } from './web-socket-frames.ts'

const attackMs = 2_000
const attackers = 4
const costlyInputMs = 30
const maxShare = 0.2
const nat = '203.0.113.7'

const message = (text: string) => ({ username: 'a', message: text, createdTime: 1 })

/** Sends one message. Returns `null` when the connection is closed before the ack. */
function send(client: Socket, text: string): Promise<SendAck | null> {
  return new Promise((resolve) => {
    const onDisconnect = () => resolve(null)
    client.once('disconnect', onDisconnect)
    client.emit(events.sendMessage, message(text), (ack: SendAck) => {
      client.off('disconnect', onDisconnect)
      resolve(ack)
    })
  })
}

/** Resolves when the client is connected or rejected. */
function waitForResult(client: Socket): Promise<void> {
  return new Promise((resolve) => {
    client.once('connect', resolve)
    client.once('connect_error', () => resolve())
  })
}

/** Starts a server with a defect: a message with a certain text blocks the event loop for 30 ms. */
async function startWithDefect() {
  vi.stubEnv('FAULT_POINT', 'costly-input')
  onTestFinished(() => void vi.unstubAllEnvs())
  return startBehindProxy({ MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' })
}

test(
  'LIMITS-8 an address that finds a costly input uses at most a tenth of a core, and its other clients stay connected',
  { timeout: 60_000 },
  async () => {
    const server = await startWithDefect()
    const neighbour = await waitForConnect(server.clientFrom(nat))
    const endMs = performance.now() + attackMs
    let inputs = 0
    let closed = 0
    const isAttacking = () => performance.now() < endMs

    async function attack(): Promise<void> {
      while (isAttacking()) {
        const client = server.clientFrom(nat)
        await waitForResult(client)
        while (client.connected && isAttacking()) {
          const ack = await send(client, 'fault-point')
          if (ack === null) closed++
          if (ack === null || ack.ok) inputs++
        }
        client.close()
      }
    }

    const startMs = performance.now()
    const attacking = Promise.all(Array.from({ length: attackers }, attack))
    const acks: (SendAck | null)[] = []
    while (isAttacking()) acks.push(await send(neighbour, 'hello'))
    await attacking
    const elapsedMs = performance.now() - startMs

    const rateMs = addressCost.burst + (addressCost.perSecond * elapsedMs) / 1_000
    // On a busy machine the attack may not get enough CPU time to be above its limit.
    const allowedMs = closed === 0 ? rateMs : rateMs + maxDebtMs + costlyInputMs * attackers
    expect(inputs * (costlyInputMs - 1)).toBeLessThan(allowedMs)
    expect(acks.filter((ack) => ack?.ok !== true)).toStrictEqual([])
    expect(neighbour.connected).toBe(true)
  },
)

test('LIMITS-8 a server process with a costly input spends at most a fifth of a core on one address', async () => {
  const server = await startTurnCostServer({
    NODE_ENV: 'test',
    FAULT_POINT: 'costly-input',
    MESSAGES_PER_SECOND: '0',
    MESSAGES_PER_SECOND_PER_IP: '0',
  })
  onTestFinished(() => server.close())
  const costly = encodeFrame(opcodes.text, `42${JSON.stringify([events.sendMessage, message('fault-point')])}`)
  const startedMs = performance.now()
  const before = await server.processorMs()
  const isAttacking = () => performance.now() - startedMs < attackMs

  /**
   * Sends costly inputs during the attack, and reconnects when the server closes the connection. The server rejects new
   * connections while the address is in debt.
   */
  async function attack(): Promise<void> {
    while (isAttacking()) {
      const { socket } = await server.join('', nat)
      while (!socket.closed && isAttacking()) {
        socket.write(costly)
        await pause(5)
      }
      socket.destroy()
      await pause(20)
    }
  }
  await Promise.all(Array.from({ length: attackers }, attack))
  const usedMs = (await server.processorMs()) - before
  const elapsedMs = performance.now() - startedMs
  // Without the limit on the CPU time of an address, the attack would use the whole core.
  expect(usedMs).toBeLessThan(addressCost.burst + maxDebtMs + elapsedMs * maxShare)
})
