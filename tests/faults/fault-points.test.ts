import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkHistories } from './checker.ts'
import type { FaultClient, Transport } from './client.ts'
import { createFullClient } from './full-client.ts'
import { createHistoryWriter, readHistories } from './history.ts'
import { createPlainClient } from './plain-client.ts'
import { createRandom } from './random.ts'
import { createServerSetup, type ServerSetup } from './server-setup.ts'
import { waitFor } from './wait-for.ts'

const timeoutMs = 60_000
let setup: ServerSetup
let clients: FaultClient[]

beforeEach(async () => {
  setup = await createServerSetup()
  clients = []
})

afterEach(async (context) => {
  await Promise.all(clients.map((client) => client.close()))
  await setup.close()
  if (context.task.result?.state === 'fail') console.log(`histories: ${await setup.saveHistories('fault-point')}`)
  await setup.remove()
})

function join(name: string, transport: Transport, create = createFullClient): FaultClient {
  const { port, histories } = setup
  const random = createRandom(name)
  const client = create({ name, port, transport, perSecond: 0, history: createHistoryWriter(histories, name), random })
  clients.push(client)
  client.open()
  return client
}

const everyClient = (condition: (client: FaultClient) => boolean) => () => clients.every(condition)

test.each([
  ['commit and ack', 'after-commit-before-ack', 'websocket'],
  ['commit and ack', 'after-commit-before-ack', 'polling'],
  ['commit and broadcast', 'after-commit-before-broadcast', 'websocket'],
  ['commit and broadcast', 'after-commit-before-broadcast', 'polling'],
] as const)(
  'DELIVERY-1 kill -9 between %s (%s, sender by %s): every client receives the message once',
  async (_, point, transport) => {
    const { server, histories } = setup
    await server.start({ NODE_ENV: 'test', FAULT_POINT: point })
    const sender = join('sender', transport)
    join('reader', 'websocket')
    join('poller', 'polling')
    await waitFor(
      'every client to be ready',
      everyClient((client) => client.isReady()),
      { timeoutMs },
    )
    const before = sender.outbox.add('all is well')
    await waitFor(
      'the first message',
      everyClient((client) => client.hasReceived(before)),
      { timeoutMs },
    )

    const ended = server.expectExit()
    const interrupted = sender.outbox.add('fault-point')
    expect(await ended).toBe('SIGKILL')
    expect(everyClient((client) => !client.hasReceived(interrupted))()).toBe(true)
    if (point === 'after-commit-before-ack') expect(sender.outbox.inFlight()?.key).toBe(interrupted)

    await server.start()
    await waitFor(
      'the message that the kill interrupted',
      everyClient((client) => client.hasReceived(interrupted)),
      { timeoutMs },
    )
    await waitFor('its acknowledgement', () => sender.outbox.isIdle(), { timeoutMs })
    const fresh = join('fresh', 'websocket')
    const plain = join('plain', 'upgrade', createPlainClient)
    await waitFor('the new clients', () => fresh.isReady() && plain.isReady(), { timeoutMs })
    const after = sender.outbox.add('all is well again')
    await waitFor(
      'the last message',
      everyClient((client) => client.hasReceived(after) && client.outbox.isIdle()),
      { timeoutMs },
    )

    await Promise.all(clients.map((client) => client.close()))
    await setup.close()
    const { hasViolations, examples, acked, delivered } = checkHistories(await readHistories(histories), {
      retainedMessages: 100_000,
    })
    expect(examples).toEqual([])
    expect({ hasViolations, acked, delivered }).toEqual({ hasViolations: false, acked: 3, delivered: 3 * 3 + 2 })
  },
  4 * timeoutMs,
)
