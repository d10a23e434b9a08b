import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as sending from './sender.ts'

// A server that stores each id once, answers what it likes and may be cut off at any time; a user who types on and
// presses Send, and may log in. Whatever was typed must be found in the room once, or else in the draft.
function createWorld() {
  let sender = sending.freshSender
  let nowMs = 0
  let presses = 0
  let typed = ''
  let name = 'anonymous'
  const room = new Map<string, string>()
  const first = new Map<string, sending.Outgoing>()
  let onItsWay: sending.Outgoing[] = []

  const moment = () => ({ nowMs, cursor: { epoch: 'log', seq: room.size } })

  function take({ sender: next, emit }: sending.SenderStep) {
    sender = next
    if (!emit) return
    expect(sender.open, 'nothing is emitted without a connection').toBe(true)
    const before = first.get(emit.id) ?? emit
    first.set(emit.id, before)
    expect(emit).toEqual({
      ...before,
      inDraft: emit.inDraft,
      payload: { ...before.payload, username: emit.payload.username },
    })
    onItsWay.push(emit)
  }

  const serve = (answer: 'stored' | 'ack lost' | 'too fast', choice: number) => {
    const emitted = onItsWay.splice(choice % Math.max(1, onItsWay.length), 1)[0]
    if (!emitted) return
    const { id, payload } = emitted
    if (answer === 'too fast') {
      const refusal = { ok: false, code: 'rate_limited', message: '', retryAfterMs: 500 } as const
      if (!room.has(id)) take(sending.answered(sender, id, refusal, moment()))
      return
    }
    room.set(id, payload.message)
    if (answer === 'stored') take(sending.answered(sender, id, { ok: true, seq: 1 }, moment()))
  }

  return {
    type(text: string) {
      typed += text
      sender = sending.edit(sender, sender.draft + text)
    },
    press: () => take(sending.press(sender, { id: `${presses++}`, name, anonymous: name === 'anonymous' }, moment())),
    connect: () => take(sending.opened(sender, moment())),
    cut() {
      sender = sending.closed(sender)
      onItsWay = []
    },
    logIn() {
      name = 'account'
      this.cut()
      sender = sending.hold(sender)
    },
    wait(ms: number) {
      nowMs += ms
      const dueMs = sending.repeatAtMs(sender, 10_000)
      if (dueMs !== null && dueMs <= nowMs) take(sending.repeat(sender, moment()))
    },
    serve,
    settle() {
      this.cut()
      for (let round = 0; round < 3; round++) {
        this.connect()
        this.wait(20_000)
        while (onItsWay.length > 0) serve('stored', 0)
        this.press()
        while (onItsWay.length > 0) serve('stored', 0)
      }
    },
    check() {
      expect([...room.values()].join('') + sender.draft).toBe(typed)
      expect(sender.draft.trim()).toBe('')
      expect(sender.phase.name).toBe('idle')
    },
  }
}

const word = fc.constantFrom('a', 'ab', ' ', 'aa b', '\n')
const step = fc.oneof(
  fc.record({ do: fc.constant('type' as const), text: word }),
  fc.constant({ do: 'press' as const }),
  fc.constant({ do: 'connect' as const }),
  fc.constant({ do: 'cut' as const }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, 600, 12_000) }),
  fc.record({
    do: fc.constant('serve' as const),
    answer: fc.constantFrom('stored' as const, 'ack lost' as const, 'too fast' as const),
    choice: fc.nat(3),
  }),
)

test.each([false, true])(
  'DELIVERY-5 whatever is cut or lost, all that was typed is in the room once and in order (logins: %s)',
  (logIns) => {
    const mayLogIn = fc.nat(19).map((chance) => logIns && chance === 0)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, mayLogIn), { maxLength: 80, size: 'max' }), (steps) => {
        const world = createWorld()
        for (const [taken, logsIn] of steps) {
          if (logsIn) world.logIn()
          if (taken.do === 'type') world.type(taken.text)
          else if (taken.do === 'wait') world.wait(taken.ms)
          else if (taken.do === 'serve') world.serve(taken.answer, taken.choice)
          else world[taken.do]()
        }
        world.settle()
        world.check()
      }),
      { numRuns: 1_000 },
    )
  },
  60_000,
)
