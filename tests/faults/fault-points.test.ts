import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkHistories } from './checker.ts'
import type { FaultClient, Transport } from './client.ts'
import { createFullClient } from './full-client.ts'
import { createHistoryWriter, readHistories } from './history.ts'
import { createPlainClient } from './plain-client.ts'
import { createRandom } from './random.ts'
import { setStage, type Stage } from './stage.ts'
import { waitFor } from './wait-for.ts'

const withinMs = 60_000
let stage: Stage
let clients: FaultClient[]

beforeEach(async () => {
  stage = await setStage()
  clients = []
})

afterEach(async (context) => {
  await Promise.all(clients.map((client) => client.close()))
  await stage.close()
  if (context.task.result?.state === 'fail') console.log(`histories: ${await stage.keep('fault-point')}`)
  await stage.clear()
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
      everyone((client) => client.ready()),
      { withinMs },
    )
    const before = sender.outbox.add('all is well')
    await waitFor(
      'the first message',
      everyone((client) => client.received(before)),
      { withinMs },
    )

    const ended = server.expectEnd()
    const fatal = sender.outbox.add('fault-point')
    expect(await ended).toBe('SIGKILL')
    expect(everyone((client) => !client.received(fatal))()).toBe(true)
    if (point === 'after-commit-before-ack') expect(sender.outbox.inFlight()?.key).toBe(fatal)

    await server.start()
    await waitFor(
      'the message that was cut off',
      everyone((client) => client.received(fatal)),
      { withinMs },
    )
    await waitFor('its acknowledgement', () => sender.outbox.idle(), { withinMs })
    const fresh = join('fresh', 'websocket')
    const plain = join('plain', 'upgrade', createPlainClient)
    await waitFor('the newcomers', () => fresh.ready() && plain.ready(), { withinMs })
    const after = sender.outbox.add('all is well again')
    await waitFor(
      'the last message',
      everyone((client) => client.received(after) && client.outbox.idle()),
      { withinMs },
    )

    await Promise.all(clients.map((client) => client.close()))
    await stage.close()
    const { guilty, examples, acked, delivered } = checkHistories(await readHistories(histories), {
      retainedMessages: 100_000,
    })
    expect(examples).toEqual([])
    expect({ guilty, acked, delivered }).toEqual({ guilty: false, acked: 3, delivered: 3 * 3 + 2 })
  },
  4 * withinMs,
)
