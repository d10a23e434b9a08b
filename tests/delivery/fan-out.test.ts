import fc from 'fast-check'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { fastPathInternals } from '../../server/transport/fast-path/library-internals.ts'
import { type JournalClient, type JournalEntry, keepJournal, orderFaults } from './journal-client.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

const newClient = fc.record({
  transports: fc.constantFrom(['websocket'], ['polling'], ['polling', 'websocket']),
  deltas: fc.boolean(),
  closeAfterMessages: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 }),
})
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('burst' as const),
      clientIndex: fc.nat(20),
      count: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resync' as const), clientIndex: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const), newClient }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'pause' as const }) },
)
/** Clients of every scenario that stay until its end. Each of them receives at least `lastMessages` messages. */
const stayingClients = [['websocket'], ['polling'], ['polling', 'websocket']].map((transports) => ({
  transports,
  deltas: true,
  closeAfterMessages: null,
}))
const lastMessages = 40
const scenarios = 10
const scenario = fc.record({
  first: fc.array(newClient, { minLength: 3, maxLength: 6 }),
  steps: fc.array(step, { minLength: 6, maxLength: 16 }),
})

/** Runs the scenario to its end and returns its clients with their journals. */
async function runScenario(
  server: TestServer,
  { first, steps }: typeof scenario extends fc.Arbitrary<infer S> ? S : never,
) {
  const clients: JournalClient[] = []
  const join = ({ transports, deltas, closeAfterMessages }: (typeof first | typeof stayingClients)[number]) => {
    const options = { transports: [...transports], auth: { deltas }, reconnection: false }
    clients.push(keepJournal(server.client(options), closeAfterMessages))
  }
  const sender = await waitForConnect(server.client({ auth: { channel: 'messages' } }))
  for (const one of [...stayingClients, ...first]) join(one)
  for (const one of steps) {
    if (one.kind === 'pause')
      await sender.emitWithAck(events.sendMessage, { username: 'a', message: 'b', createdTime: 1 })
    else if (one.kind === 'join') join(one.newClient)
    else {
      const client = clients[one.clientIndex % clients.length]
      if (one.kind === 'resync') client?.socket.emit(events.onlineUsersResync)
      else for (let i = 0; i < one.count; i++) client?.send(`number ${i}`)
    }
  }
  const hasCursor = ({ journal }: JournalClient) => journal.some(({ kind }) => kind === 'cursor')
  await expect.poll(() => clients.every(hasCursor)).toBe(true)
  const acks = Array.from({ length: lastMessages }, (_, index) =>
    sender.emitWithAck(events.sendMessage, { username: 'a', message: `last ${index}`, createdTime: 1 }),
  )
  const { seq } = (await Promise.all(acks)).at(-1) as { seq: number }
  const isDone = (client: JournalClient) => client.hasSeen(seq) || (client.closes && client.socket.disconnected)
  await expect.poll(() => clients.every(isDone)).toBe(true)
  for (const { socket } of [...clients, { socket: sender }]) socket.close()
  return clients
}

test.each(['fast', 'slow'] as const)(
  'FANOUT-3 on the %s path every socket receives everything in order, whatever its transport and the other traffic',
  async (writePath) => {
    const server = await startServer(
      { MESSAGES_PER_SECOND: '0' },
      { hiddenInternals: writePath === 'fast' ? [] : fastPathInternals },
    )
    let delivered = 0
    await fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        for (const { journal } of await runScenario(server, one)) {
          expect(orderFaults(journal)).toStrictEqual([])
          delivered += journal.filter(({ kind }) => kind === 'message').length
        }
      }),
      { numRuns: scenarios, endOnFailure: true },
    )
    console.log(`${delivered} deliveries in order by the ${writePath} path`)
    expect(delivered).toBeGreaterThanOrEqual(scenarios * stayingClients.length * lastMessages)
  },
)

test.each<[string, JournalEntry[]]>([
  [
    'a gap',
    [
      { kind: 'cursor', seq: 1 },
      { kind: 'message', seq: 3 },
    ],
  ],
  [
    'a repeat',
    [
      { kind: 'cursor', seq: 1 },
      { kind: 'message', seq: 2 },
      { kind: 'message', seq: 2 },
    ],
  ],
  ['a message before the cursor', [{ kind: 'message', seq: 2 }]],
  [
    'a message before its ack',
    [
      { kind: 'cursor', seq: 1 },
      { kind: 'message', seq: 2 },
      { kind: 'ack', seq: 2 },
    ],
  ],
  [
    'a lost delta',
    [
      { kind: 'list', version: 1 },
      { kind: 'delta', from: 2, version: 3 },
    ],
  ],
  [
    'an old list',
    [
      { kind: 'list', version: 2 },
      { kind: 'list', version: 1 },
    ],
  ],
])('FANOUT-3 the order check finds %s', (_name, journal) => {
  expect(orderFaults(journal)).toHaveLength(1)
})
