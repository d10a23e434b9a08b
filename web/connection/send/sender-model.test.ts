import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SendAck } from '../../../contract/messages.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import { moveToField, dismiss, takeBack } from './outbox-rows.ts'
import * as sending from './sender.ts'

type Outcome = 'stored' | 'ack lost' | 'rate limited' | 'rejected'
const rowActions = { takeBack, dismiss }
type RowAction = 'takeBack' | 'moveToField' | 'dismiss' | 'sendHeld'

// Model of a server and a user. The server stores each id once, sends any acknowledgement and may disconnect at any
// time. The user types, sends, changes the name, uses the rows of the outbox, logs in and reloads. Each sent message
// must be stored once, or be in the outbox or the field, unless the user dismissed or edited it. Messages that were
// never held are stored in order.
function createModel() {
  let sender = sending.initialSender
  let nowMs = 0
  let ids = 0
  let isLoggedIn = false
  let anonymousName = 'bob'
  const storedIds: string[] = []
  const firstEmits = new Map<string, sending.OutboxMessage>()
  /** Ids in sending order, without messages that were ever held. */
  const orderedIds: string[] = []
  const sentIds = new Set<string>()
  const replacedIds = new Set<string>()
  let inFlight: sending.OutboxMessage[] = []

  const context = () => ({ nowMs, elapsedMs: nowMs, cursor: { epoch: 'log', seq: storedIds.length } })
  const request = () => ({ id: `${ids++}`, name: isLoggedIn ? 'account' : anonymousName, anonymous: !isLoggedIn })
  const isInOutbox = (id: string) => sender.outbox.some((message) => message.id === id)

  function setSender(next: sending.Sender) {
    sender = next
    for (const { id, state } of sender.outbox) {
      sentIds.add(id)
      if (state.kind === 'held' && orderedIds.includes(id)) orderedIds.splice(orderedIds.indexOf(id), 1)
    }
    const kinds = sender.outbox.filter(sending.isPending).map(({ state }) => state.kind)
    expect(kinds.slice(1).every((kind) => kind === 'queued')).toBe(true)
    const fieldMessage = sending.findMessage(sender, sender.fieldMessageId)
    expect(sender.fieldMessageId === null || fieldMessage?.payload.message === sender.draft).toBe(true)
  }

  function apply({ sender: next, emit }: sending.SenderStep) {
    setSender(next)
    if (!emit) return
    expect(sender.isOpen, 'a message is emitted only with a connection').toBe(true)
    const before = firstEmits.get(emit.id) ?? emit
    firstEmits.set(emit.id, before)
    const { username, ...frozen } = before.payload
    expect(emit.payload).toMatchObject(frozen)
    if (orderedIds.includes(emit.id)) expect(emit.payload.username).toBe(username)
    expect(emit.after).toEqual(before.after)
    inFlight.push(emit)
  }

  function acknowledge(id: string, ack: SendAck) {
    const { draft, fieldMessageId } = sender
    apply(sending.acknowledged(sender, id, ack, context()))
    expect(sender.draft).toBe(ack.ok && fieldMessageId === id ? '' : draft)
  }

  function serve(outcome: Outcome, choice: number) {
    const emitted = inFlight.splice(choice % Math.max(1, inFlight.length), 1)[0]
    if (!emitted) return
    const { id } = emitted
    const isStored = storedIds.includes(id)
    if (outcome === 'rate limited') acknowledge(id, { ok: false, code: 'rate_limited', message: '', retryAfterMs: 500 })
    else if (outcome === 'rejected' && !isStored) acknowledge(id, { ok: false, code: 'not_allowed', message: '' })
    else {
      const { kind } = sending.findMessage(sender, id)?.state ?? {}
      expect(kind, 'a message that is shown as rejected is not stored').not.toBe('refused')
      if (!isStored) storedIds.push(id)
      if (outcome !== 'ack lost') acknowledge(id, { ok: true, seq: storedIds.indexOf(id) + 1 })
    }
  }

  function disconnect() {
    setSender(sending.closed(sender))
    inFlight = []
  }

  const model = {
    serve,
    disconnect,
    type(text: string) {
      const expected = sender.fieldMessageId === null ? sender.draft + text : text
      setSender(sending.editDraft(sender, expected))
      expect(sender.draft).toBe(expected)
    },
    replace(text: string) {
      setSender(sending.editDraft(sender, text))
      expect(sender.draft).toBe(text)
    },
    revise() {
      const fieldMessage = sending.findMessage(sender, sender.fieldMessageId)
      const draft = sender.draft.slice(1)
      setSender(sending.editDraft(sender, draft, true))
      expect(sender.draft).toBe(draft)
      if (fieldMessage && !isInOutbox(fieldMessage.id)) {
        expect(sending.isPending(fieldMessage) && sending.wasEmitted(fieldMessage)).toBe(false)
        replacedIds.add(fieldMessage.id)
      }
    },
    send() {
      const fieldMessage = sending.findMessage(sender, sender.fieldMessageId)
      const { draft } = sender
      const newRequest = request()
      apply(sending.send(sender, newRequest, context()))
      if (isInOutbox(newRequest.id)) orderedIds.push(newRequest.id)
      if (fieldMessage && !isInOutbox(fieldMessage.id)) {
        if (sending.isPending(fieldMessage)) expect(sending.wasEmitted(fieldMessage)).toBe(false)
        else expect(fieldMessage.state.kind).toBe('refused')
        replacedIds.add(fieldMessage.id)
      }
      expect(sender.draft).toBe(draft)
    },
    row(action: RowAction, choice: number) {
      const message = sender.outbox[choice % Math.max(1, sender.outbox.length)]
      if (!message || message.id === sender.fieldMessageId) return
      const { id } = message
      if (action === 'sendHeld') apply(sending.sendHeld(sender, id, request(), context()))
      else if (action === 'moveToField') setSender(moveToField(sender, id, `${ids++}`))
      else setSender(rowActions[action](sender, id))
      if (isInOutbox(id)) return
      const wasNeverEmitted = message.after === undefined
      expect(action === 'takeBack' ? wasNeverEmitted : !sending.isPending(message)).toBe(true)
      if (action !== 'dismiss') expect(sender.draft).toBe(message.payload.message)
      replacedIds.add(id)
    },
    rename() {
      anonymousName = anonymousName === 'bob' ? 'eve' : 'bob'
    },
    connect: () => apply(sending.opened(sender, context())),
    logIn() {
      isLoggedIn = true
      disconnect()
      setSender(sending.holdPending(sender))
    },
    reload() {
      disconnect()
      isLoggedIn = false
      const stored = { outbox: serializeOutbox(sender), draft: serializeDraft(sender) }
      setSender(restoreSender(sending.initialSender, stored, nowMs))
    },
    wait(ms: number) {
      nowMs += ms
      const dueMs = sending.resendAtMs(sender, 10_000)
      if (dueMs !== null && dueMs <= nowMs) apply(sending.resend(sender, context()))
    },
    settle() {
      model.disconnect()
      model.connect()
      while (sender.outbox.some(sending.isPending)) {
        model.wait(20_000)
        while (inFlight.length > 0) serve('stored', 0)
      }
    },
    check() {
      expect(new Set(storedIds).size).toBe(storedIds.length)
      for (const id of sentIds) {
        expect(storedIds.includes(id) || isInOutbox(id) || replacedIds.has(id), `message ${id} is not lost`).toBe(true)
      }
      const ordered = storedIds.filter((id) => orderedIds.includes(id))
      expect(ordered).toEqual(orderedIds.filter((id) => storedIds.includes(id)))
    },
  }
  return model
}

const word = fc.constantFrom('a', 'ab', ' ', 'aa b', '\n')
const nothing = fc.constant(null)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('type' as const, 'replace' as const), word) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('send' as const), nothing) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('connect' as const, 'disconnect' as const, 'revise' as const), nothing),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('reload' as const, 'rename' as const), nothing) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wait' as const), fc.constantFrom(100, 600, 12_000)) },
  {
    weight: 5,
    arbitrary: fc.tuple(
      fc.constant('serve' as const),
      fc.tuple(fc.constantFrom<Outcome>('stored', 'stored', 'ack lost', 'rate limited', 'rejected'), fc.nat(3)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('row' as const),
      fc.tuple(fc.constantFrom<RowAction>('takeBack', 'moveToField', 'dismiss', 'sendHeld'), fc.nat(5)),
    ),
  },
)

test.each([false, true])(
  'DELIVERY-5 OUTBOX-1 after any disconnect, loss or rejection each message is stored once and in order, or in the outbox (logins: %s)',
  (hasLogins) => {
    const isLogin = fc.nat(19).map((chance) => hasLogins && chance === 0)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, isLogin), { maxLength: 100, size: 'max' }), (steps) => {
        const model = createModel()
        for (const [[name, value], logsInNow] of steps) {
          if (logsInNow) model.logIn()
          if (name === 'type' || name === 'replace') model[name](value)
          else if (name === 'wait') model.wait(value)
          else if (name === 'serve') model.serve(...value)
          else if (name === 'row') model.row(...value)
          else model[name]()
        }
        model.settle()
        model.check()
      }),
      { numRuns: 1_000 },
    )
  },
  60_000,
)
