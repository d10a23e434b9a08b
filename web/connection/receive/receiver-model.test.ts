import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Cursor } from '../../../contract/messages.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from './receiver.ts'

type Packet = { kind: 'cursor'; cursor: Cursor } | { kind: 'message'; position: Cursor; total: number }

// Model of a log that is trimmed and replaced, a page that reads it, and a connection that loses, repeats and reorders
// messages. `total` numbers the messages of all logs: the page must show them in this order.
function createModel() {
  let log = { epoch: 0, trimmedTo: 0, messages: [] as number[] }
  let total = 0
  let isConnected = false
  let next = 0
  let inFlight: Packet[] = []
  let resumes: Cursor[] = []
  /** Number of cursors that the server sent by itself on this connection. Each may arrive before a response to resume. */
  let unrequestedCursors = 0
  let totalAtFirstConnect = 0
  let receiver = initialReceiver
  const shown: ({ position: Cursor; total: number } | 'gap')[] = []

  const head = () => log.messages.length
  const positionAt = (seq: number): Cursor => ({ epoch: `${log.epoch}`, seq })

  function sendCursor(cursor: Cursor | null) {
    const canReplay = cursor?.epoch === `${log.epoch}` && cursor.seq >= log.trimmedTo && cursor.seq <= head()
    const confirmed = canReplay ? cursor : positionAt(head())
    next = confirmed.seq + 1
    inFlight.push({ kind: 'cursor', cursor: confirmed })
  }

  function apply(input: ReceiverInput) {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  }

  function arrive(packet: Packet) {
    const action = apply(packet)
    if (action === 'gap') shown.push('gap')
    if (packet.kind === 'message' && action === 'append') shown.push(packet)
    if (action === 'resume') {
      expect(resumes.length, 'one resume at a time').toBeLessThanOrEqual(unrequestedCursors)
      resumes.push(receiver.cursor!)
    }
  }

  return {
    append: () => log.messages.push(++total),
    trim: (share: number) => (log.trimmedTo += Math.floor((head() - log.trimmedTo) * share)),
    replaceLog() {
      log = { epoch: log.epoch + 1, trimmedTo: 0, messages: [] }
      this.disconnect()
    },
    connect() {
      this.disconnect()
      // A page without a cursor starts at the head of the log, so it shows only messages after this total.
      if (receiver.cursor === null) totalAtFirstConnect = total
      apply({ kind: 'handshake' })
      sendCursor(receiver.cursor)
      isConnected = true
    },
    disconnect() {
      isConnected = false
      inFlight = []
      resumes = []
      unrequestedCursors = 0
    },
    serve(count: number) {
      if (!isConnected) return
      const cursor = resumes.shift()
      if (cursor) sendCursor(cursor)
      for (let sent = 0; sent < count && next <= head(); sent++) {
        if (next <= log.trimmedTo) {
          unrequestedCursors++
          return sendCursor(null)
        }
        inFlight.push({ kind: 'message', position: positionAt(next), total: log.messages[next - 1]! })
        next++
      }
    },
    // Messages can arrive late and out of order, but not before the cursor that precedes them.
    deliver(choice: number, repeat: boolean) {
      const firstCursor = inFlight.findIndex(({ kind }) => kind === 'cursor')
      const eligible = firstCursor === -1 ? inFlight.length : firstCursor + 1
      const index = choice % Math.max(1, eligible)
      const packet = inFlight[index]
      if (!packet) return
      if (!(repeat && packet.kind === 'message')) inFlight.splice(index, 1)
      arrive(packet)
    },
    lose(choice: number) {
      const index = choice % Math.max(1, inFlight.length)
      if (inFlight[index]?.kind === 'message') inFlight.splice(index, 1)
    },
    settle() {
      for (let packets = inFlight; packets.length > 0 || resumes.length > 0; packets = inFlight) {
        inFlight = []
        for (const packet of packets) arrive(packet)
        this.serve(Infinity)
      }
    },
    check(isUpToDate: boolean) {
      let before: (typeof shown)[number] | null = null
      let lastTotal = totalAtFirstConnect
      for (const entry of shown) {
        if (entry !== 'gap') {
          expect(entry.total, 'in order, once, no old messages').toBeGreaterThan(lastTotal)
          lastTotal = entry.total
          if (before !== null && before !== 'gap') {
            const follows = { ...before.position, seq: before.position.seq + 1 }
            expect(entry.position, 'no silent gap').toEqual(follows)
          }
        }
        before = entry
      }
      if (isUpToDate) expect(receiver).toEqual({ cursor: positionAt(head()), awaiting: null })
    },
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: 'append' as const }) },
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
  'DELIVERY-4 after any loss, repetition or reordering each message is shown once and in order, gaps are shown, and %s restores the stream',
  (recovery) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const model = createModel()
        model.append()
        model.connect()
        for (const taken of steps) {
          if (taken.do === 'serve') model.serve(taken.count)
          else if (taken.do === 'deliver') model.deliver(taken.choice, taken.repeat)
          else if (taken.do === 'lose') model.lose(taken.choice)
          else if (taken.do === 'trim') model.trim(taken.share)
          else if (taken.do === 'replaceLog') {
            model.replaceLog()
            model.connect()
          } else model[taken.do]()
          model.check(false)
        }
        if (recovery === 'a reconnect') model.connect()
        else model.append()
        model.serve(Infinity)
        model.settle()
        model.check(true)
      }),
      { numRuns: 500 },
    )
  },
  60_000,
)
