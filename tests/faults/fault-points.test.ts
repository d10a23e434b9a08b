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
let stage: ServerSetup
let clients: FaultClient[]

beforeEach(async () => {
  stage = await createServerSetup()
  clients = []
})

afterEach(async (context) => {
  await Promise.all(clients.map((client) => client.close()))
  await stage.close()
  if (context.task.result?.state === 'fail') console.log(`histories: ${await stage.saveHistories('fault-point')}`)
  await stage.remove()
})

function join(name: string, transport: Transport, create = createFullClient): FaultClient {
  const { port, histories } = stage
  const random = createRandom(name)
  const client = create({ name, port, transport, perSecond: 0, history: createHistoryWriter(histories, name), random })
  clients.push(client)
  client.open()
  return client
}

const everyone = (holds: (client: FaultClient) => boolean) => () => clients.every(holds)

test.each([
  ['commit and ack', 'after-commit-before-ack', 'websocket'],
  ['commit and ack', 'after-commit-before-ack', 'polling'],
  ['commit and broadcast', 'after-commit-before-broadcast', 'websocket'],
  ['commit and broadcast', 'after-commit-before-broadcast', 'polling'],
] as const)(
  'DELIVERY-1 kill -9 between %s (%s, sender by %s): once, for everybody',
  async (_, point, transport) => {
    const { server, histories } = stage
    await server.start({ NODE_ENV: 'test', FAULT_POINT: point })
    const sender = join('sender', transport)
    join('reader', 'websocket')
    join('poller', 'polling')
    await waitFor(
      'every client to stand',
      everyone((client) => client.isReady()),
      { timeoutMs },
    )
    const before = sender.outbox.add('all is well')
    await waitFor(
      'the first message',
      everyone((client) => client.hasReceived(before)),
      { timeoutMs },
    )

    const ended = server.expectExit()
    const fatal = sender.outbox.add('fault-point')
    expect(await ended).toBe('SIGKILL')
    expect(everyone((client) => !client.hasReceived(fatal))()).toBe(true)
    if (point === 'after-commit-before-ack') expect(sender.outbox.inFlight()?.key).toBe(fatal)

    await server.start()
    await waitFor(
      'the message that was cut off',
      everyone((client) => client.hasReceived(fatal)),
      { timeoutMs },
    )
    await waitFor('its acknowledgement', () => sender.outbox.isIdle(), { timeoutMs })
    const fresh = join('fresh', 'websocket')
    const plain = join('plain', 'upgrade', createPlainClient)
    await waitFor('the newcomers', () => fresh.isReady() && plain.isReady(), { timeoutMs })
    const after = sender.outbox.add('all is well again')
    await waitFor(
      'the last message',
      everyone((client) => client.hasReceived(after) && client.outbox.isIdle()),
      { timeoutMs },
    )

    await Promise.all(clients.map((client) => client.close()))
    await stage.close()
    const { hasViolations, examples, acked, delivered } = checkHistories(await readHistories(histories), {
      retainedMessages: 100_000,
    })
    expect(examples).toEqual([])
    expect({ hasViolations, acked, delivered }).toEqual({ hasViolations: false, acked: 3, delivered: 3 * 3 + 2 })
  },
  4 * timeoutMs,
)
