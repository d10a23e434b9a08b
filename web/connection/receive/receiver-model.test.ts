import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Cursor } from '../../../contract/messages.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from './receiver.ts'

type Packet = { kind: 'cursor'; cursor: Cursor } | { kind: 'message'; position: Cursor; said: number }

// A log that is trimmed and replaced, a page that reads it, and between them a wire that loses, repeats and reorders
// messages at will. `said` numbers everything ever said, over all logs: the one order that the page must show.
function createWorld() {
  let log = { epoch: 0, trimmedTo: 0, messages: [] as number[] }
  let said = 0
  let connected = false
  let next = 0
  let wire: Packet[] = []
  let asked: Cursor[] = []
  /** How often the server has placed the page by itself on this connection: each may overtake a question. */
  let placedUnasked = 0
  let firstSeen = 0
  let receiver = initialReceiver
  const shown: ({ position: Cursor; said: number } | 'gap')[] = []

  const head = () => log.messages.length
  const here = (seq: number): Cursor => ({ epoch: `${log.epoch}`, seq })

  function stand(cursor: Cursor | null) {
    const bridged = cursor?.epoch === `${log.epoch}` && cursor.seq >= log.trimmedTo && cursor.seq <= head()
    const confirmed = bridged ? cursor : here(head())
    next = confirmed.seq + 1
    wire.push({ kind: 'cursor', cursor: confirmed })
  }

  function take(input: ReceiverInput) {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  }

  function arrive(packet: Packet) {
    const task = take(packet)
    if (task === 'gap') shown.push('gap')
    if (packet.kind === 'message' && task === 'append') shown.push(packet)
    if (task === 'resume') {
      expect(asked.length, 'one resume at a time').toBeLessThanOrEqual(placedUnasked)
      asked.push(receiver.cursor!)
    }
  }

  return {
    say: () => log.messages.push(++said),
    trim: (share: number) => (log.trimmedTo += Math.floor((head() - log.trimmedTo) * share)),
    replaceLog() {
      log = { epoch: log.epoch + 1, trimmedTo: 0, messages: [] }
      this.disconnect()
    },
    connect() {
      this.disconnect()
      // Only here: what is placed anew later was placed before, even if the page has not heard of it yet.
      if (receiver.cursor === null) firstSeen = said
      take({ kind: 'handshake' })
      stand(receiver.cursor)
      connected = true
    },
    disconnect() {
      connected = false
      wire = []
      asked = []
      placedUnasked = 0
    },
    serve(count: number) {
      if (!connected) return
      const cursor = asked.shift()
      if (cursor) stand(cursor)
      for (let sent = 0; sent < count && next <= head(); sent++) {
        if (next <= log.trimmedTo) {
          placedUnasked++
          return stand(null)
        }
        wire.push({ kind: 'message', position: here(next), said: log.messages[next - 1]! })
        next++
      }
    },
    // Messages overtake each other and come late, but none overtakes the cursor that it continues from.
    deliver(choice: number, repeat: boolean) {
      const firstCursor = wire.findIndex(({ kind }) => kind === 'cursor')
      const eligible = firstCursor === -1 ? wire.length : firstCursor + 1
      const index = choice % Math.max(1, eligible)
      const packet = wire[index]
      if (!packet) return
      if (!(repeat && packet.kind === 'message')) wire.splice(index, 1)
      arrive(packet)
    },
    lose(choice: number) {
      const index = choice % Math.max(1, wire.length)
      if (wire[index]?.kind === 'message') wire.splice(index, 1)
    },
    settle() {
      for (let packets = wire; packets.length > 0 || asked.length > 0; packets = wire) {
        wire = []
        for (const packet of packets) arrive(packet)
        this.serve(Infinity)
      }
    },
    check(upToDate: boolean) {
      let before: (typeof shown)[number] | null = null
      let lastSaid = firstSeen
      for (const entry of shown) {
        if (entry !== 'gap') {
          expect(entry.said, 'in order, once, nothing old').toBeGreaterThan(lastSaid)
          lastSaid = entry.said
          if (before !== null && before !== 'gap') {
            const follows = { ...before.position, seq: before.position.seq + 1 }
            expect(entry.position, 'no silent gap').toEqual(follows)
          }
        }
        before = entry
      }
      if (upToDate) expect(receiver).toEqual({ cursor: here(head()), awaiting: null })
    },
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: 'say' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('serve' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('deliver' as const), choice: fc.nat(7), repeat: fc.boolean() }) },
  { weight: 6, arbitrary: fc.constant({ do: 'deliver' as const, choice: 0, repeat: false }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), choice: fc.nat(7) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('trim' as const), share: fc.constantFrom(0.3, 0.7, 1) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'connect' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'replaceLog' as const }) },
)

test.each(['a reconnect', 'the next message'])(
  'DELIVERY-4 whatever the wire does, each message is shown once, in order, gaps are said, and %s heals it',
  (cure) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const world = createWorld()
        world.say()
        world.connect()
        for (const taken of steps) {
          if (taken.do === 'serve') world.serve(taken.count)
          else if (taken.do === 'deliver') world.deliver(taken.choice, taken.repeat)
          else if (taken.do === 'lose') world.lose(taken.choice)
          else if (taken.do === 'trim') world.trim(taken.share)
          else if (taken.do === 'replaceLog') {
            world.replaceLog()
            world.connect()
          } else world[taken.do]()
          world.check(false)
        }
        if (cure === 'a reconnect') world.connect()
        else world.say()
        world.serve(Infinity)
        world.settle()
        world.check(true)
      }),
      { numRuns: 500 },
    )
  },
  60_000,
)
