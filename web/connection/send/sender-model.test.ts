import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SendAck } from '../../../contract/messages.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import { moveToField, dismiss, takeBack } from './outbox-rows.ts'
import * as sending from './sender.ts'

type Answer = 'stored' | 'ack lost' | 'too fast' | 'refused'
const rowActions = { takeBack, dismiss }
type RowAction = 'takeBack' | 'bringToField' | 'dismiss' | 'sendHeld'

// A server that stores each id once, answers what it likes and may be cut off at any time; a user who types, presses Send,
// works on the rows, logs in and reloads. Whatever was pressed must be in the room once and in order, or in the user's
// hands; whatever was typed must be in the field.
function createWorld() {
  let sender = sending.initialSender
  let nowMs = 0
  let ids = 0
  let account = false
  const room: string[] = []
  const first = new Map<string, sending.OutboxMessage>()
  /** By the order of the presses. What was ever out of its turn in the user's hands has none. */
  const inTurn: string[] = []
  const everPressed = new Set<string>()
  const released = new Set<string>()
  const refused = new Set<string>()
  let onItsWay: sending.OutboxMessage[] = []

  const moment = () => ({ nowMs, elapsedMs: nowMs, cursor: { epoch: 'log', seq: room.length } })
  const pressing = () => ({ id: `${ids++}`, name: account ? 'account' : 'bob', anonymous: !account })
  const isKnown = (id: string) => sender.outbox.some((message) => message.id === id)

  function become(next: sending.Sender) {
    sender = next
    for (const { id, state } of sender.outbox) {
      everPressed.add(id)
      if (state.kind === 'held' && inTurn.includes(id)) inTurn.splice(inTurn.indexOf(id), 1)
    }
    const kinds = sender.outbox.filter(sending.isPending).map(({ state }) => state.kind)
    expect(kinds.slice(1).every((kind) => kind === 'queued')).toBe(true)
    const fieldMessage = sending.findMessage(sender, sender.fieldMessageId)
    expect(sender.fieldMessageId === null || fieldMessage?.payload.message === sender.draft).toBe(true)
  }

  function take({ sender: next, emit }: sending.SenderStep) {
    become(next)
    if (!emit) return
    expect(sender.isOpen, 'nothing is emitted without a connection').toBe(true)
    const before = first.get(emit.id) ?? emit
    first.set(emit.id, before)
    const { username: _username, ...frozen } = before.payload
    expect(emit.payload).toMatchObject(frozen)
    expect(emit.after).toEqual(before.after)
    onItsWay.push(emit)
  }

  function answer(id: string, ack: SendAck) {
    const { draft, fieldMessageId } = sender
    take(sending.acknowledged(sender, id, ack, moment()))
    expect(sender.draft).toBe(ack.ok && fieldMessageId === id ? '' : draft)
  }

  function serve(kind: Answer, choice: number) {
    const emitted = onItsWay.splice(choice % Math.max(1, onItsWay.length), 1)[0]
    if (!emitted) return
    const { id } = emitted
    const isStored = room.includes(id)
    if (kind === 'too fast') answer(id, { ok: false, code: 'rate_limited', message: '', retryAfterMs: 500 })
    else if (refused.has(id) || (kind === 'refused' && !isStored)) {
      // For good means for every copy of it.
      refused.add(id)
      answer(id, { ok: false, code: 'invalid', message: '' })
    } else {
      if (!isStored) room.push(id)
      if (kind !== 'ack lost') answer(id, { ok: true, seq: room.indexOf(id) + 1 })
    }
  }

  function cut() {
    become(sending.closed(sender))
    onItsWay = []
  }

  const world = {
    serve,
    cut,
    type(text: string) {
      const expected = sender.fieldMessageId === null ? sender.draft + text : text
      become(sending.editDraft(sender, expected))
      expect(sender.draft).toBe(expected)
    },
    replace(text: string) {
      become(sending.editDraft(sender, text))
      expect(sender.draft).toBe(text)
    },
    rework() {
      const inHand = sending.findMessage(sender, sender.fieldMessageId)
      const draft = sender.draft.slice(1)
      become(sending.editDraft(sender, draft, true))
      expect(sender.draft).toBe(draft)
      if (inHand && !isKnown(inHand.id)) {
        expect(sending.isPending(inHand)).toBe(false)
        released.add(inHand.id)
      }
    },
    press() {
      const fieldMessage = sending.findMessage(sender, sender.fieldMessageId)
      const { draft } = sender
      const by = pressing()
      take(sending.send(sender, by, moment()))
      if (isKnown(by.id)) inTurn.push(by.id)
      if (fieldMessage && !isKnown(fieldMessage.id)) {
        expect(fieldMessage.state.kind).toBe('refused')
        released.add(fieldMessage.id)
      }
      expect(sender.draft).toBe(draft)
    },
    row(action: RowAction, choice: number) {
      const message = sender.outbox[choice % Math.max(1, sender.outbox.length)]
      if (!message || message.id === sender.fieldMessageId) return
      const { id } = message
      if (action === 'sendHeld') take(sending.sendHeld(sender, id, pressing(), moment()))
      else if (action === 'bringToField') become(moveToField(sender, id, `${ids++}`))
      else become(rowActions[action](sender, id))
      if (isKnown(id)) return
      const neverHanded = message.after === undefined
      expect(action === 'takeBack' ? neverHanded : !sending.isPending(message)).toBe(true)
      if (action !== 'dismiss') expect(sender.draft).toBe(message.payload.message)
      released.add(id)
    },
    connect: () => take(sending.opened(sender, moment())),
    logIn() {
      account = true
      cut()
      become(sending.holdPending(sender))
    },
    reload() {
      cut()
      account = false
      become(restoreSender(sending.initialSender, serializeOutbox(sender), serializeDraft(sender)))
    },
    wait(ms: number) {
      nowMs += ms
      const dueMs = sending.resendAtMs(sender, 10_000)
      if (dueMs !== null && dueMs <= nowMs) take(sending.resend(sender, moment()))
    },
    settle() {
      world.cut()
      world.connect()
      while (sender.outbox.some(sending.isPending)) {
        world.wait(20_000)
        while (onItsWay.length > 0) serve('stored', 0)
      }
    },
    check() {
      expect(new Set(room).size).toBe(room.length)
      for (const id of everPressed) {
        expect(room.includes(id) || isKnown(id) || released.has(id), `what became of ${id}`).toBe(true)
      }
      const ordered = room.filter((id) => inTurn.includes(id))
      expect(ordered).toEqual(inTurn.filter((id) => room.includes(id)))
    },
  }
  return world
}

const word = fc.constantFrom('a', 'ab', ' ', 'aa b', '\n')
const nothing = fc.constant(null)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('type' as const, 'replace' as const), word) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('press' as const), nothing) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('connect' as const, 'cut' as const, 'rework' as const), nothing) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('reload' as const), nothing) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wait' as const), fc.constantFrom(100, 600, 12_000)) },
  {
    weight: 5,
    arbitrary: fc.tuple(
      fc.constant('serve' as const),
      fc.tuple(fc.constantFrom<Answer>('stored', 'stored', 'ack lost', 'too fast', 'refused'), fc.nat(3)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('row' as const),
      fc.tuple(fc.constantFrom<RowAction>('takeBack', 'bringToField', 'dismiss', 'sendHeld'), fc.nat(5)),
    ),
  },
)

test.each([false, true])(
  'DELIVERY-5 OUTBOX-1 whatever is cut, lost or refused, each press is in the room once and in order, or in hand (logins: %s)',
  (logIns) => {
    const mayLogIn = fc.nat(19).map((chance) => logIns && chance === 0)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, mayLogIn), { maxLength: 100, size: 'max' }), (steps) => {
        const world = createWorld()
        for (const [[name, value], logsIn] of steps) {
          if (logsIn) world.logIn()
          if (name === 'type' || name === 'replace') world[name](value)
          else if (name === 'wait') world.wait(value)
          else if (name === 'serve') world.serve(...value)
          else if (name === 'row') world.row(...value)
          else world[name]()
        }
        world.settle()
        world.check()
      }),
      { numRuns: 1_000 },
    )
  },
  60_000,
)
