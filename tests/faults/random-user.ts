import { setTimeout as pause } from 'node:timers/promises'
import type { ChatMessage } from '../../contract/messages.ts'
import { createRoomConnection, type RoomConnection } from '../../web/connection/room-connection.ts'
import { canTakeBack, outboxRows } from '../../web/connection/send/outbox-rows.ts'
import { isPending, type OutboxMessage } from '../../web/connection/send/sender.ts'
import { classifyFieldChange, type SelectionRange } from '../../web/room/composer/field-change.ts'
import { createScriptedPage, fastTiming } from '../web/scripted-page.ts'
import type { Random } from './random.ts'
import type { TcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

/** State of one message for which the user pressed Send. */
export interface PressRecord {
  payload: ChatMessage
  /** Whether the message was held or rejected at some time, so that its order is not defined. */
  wasHeld: boolean
  /** Whether the user took the message back, changed or dismissed it, so that it need not arrive. */
  isWithdrawn: boolean
}

export interface RandomUserOptions {
  number: number
  proxy: TcpProxy
  random: Random
  account: { name: string; token: string }
}

const timing = { ...fastTiming, cursorTimeoutMs: 1_000, ackTimeoutMs: 1_500 }
/** Text with a lone surrogate, which the server rejects permanently. */
const invalidText = '\ud800'
const settleTimeoutMs = 120_000

export type RandomUser = ReturnType<typeof createRandomUser>

/** Creates a user who performs random actions. The user runs the connection code of the page, through a proxy. */
export function createRandomUser({ number, proxy, random, account }: RandomUserOptions) {
  const storage = new Map<string, string>()
  const presses = new Map<string, PressRecord>()
  const tally = { presses: 0, cuts: 0, reloads: 0, logins: 0, takenBack: 0, invalid: 0 }
  let clockMs = 0
  let words = 0
  let room = open()

  function open(): RoomConnection {
    const { page } = createScriptedPage({ storage })
    // The clock never returns a time twice, because text and time together identify a message.
    const nowMs = () => (clockMs = Math.max(clockMs + 1, Date.now()))
    const opened = createRoomConnection({
      url: `http://127.0.0.1:${proxy.port}`,
      page: { ...page, nowMs },
      timing,
    })
    opened.sender.subscribe(() => opened.sender.get().outbox.forEach(recordPress))
    opened.anonymousName.set(`user ${number}`)
    opened.start()
    opened.sender.get().outbox.forEach(recordPress)
    return opened
  }

  function recordPress({ id, payload, state }: OutboxMessage) {
    const record = presses.get(id) ?? { payload, wasHeld: false, isWithdrawn: false }
    record.payload = payload
    record.wasHeld ||= state.kind === 'held' || state.kind === 'refused'
    presses.set(id, record)
  }

  const sender = () => room.sender.get()
  const isLive = () => room.status.get().kind === 'live'
  const isInOutbox = (id: string) => sender().outbox.some((message) => message.id === id)
  /** Letter that only the texts of this user contain, also after edits that remove the start of a text. */
  const mark = String.fromCodePoint(0x4e00 + number)
  const word = () => `${words++}${mark} `

  /** Runs an action of the user. Marks each message that the action removes from the outbox as withdrawn. */
  function act(action: () => void) {
    const before = sender().outbox
    action()
    for (const { id } of before) if (!isInOutbox(id)) presses.get(id)!.isWithdrawn = true
  }

  function write(next: string, selected: SelectionRange) {
    const { draft, fieldMessageId } = sender()
    const change =
      fieldMessageId === null ? { draft: next, isRevision: false } : classifyFieldChange(draft, selected, next, true)
    act(() => room.actions.setDraft(change.draft, change.isRevision))
  }

  const actions = {
    type() {
      const { draft } = sender()
      write(draft + word(), { start: draft.length, end: draft.length })
    },
    replace: () => write(word(), { start: 0, end: sender().draft.length }),
    edit: () => write(sender().draft.slice(1), { start: 0, end: 1 }),
    pressSend() {
      const known = presses.size
      act(room.actions.send)
      tally.presses += presses.size - known
    },
    typeAndSend() {
      actions.type()
      actions.pressSend()
    },
    sendInvalidText() {
      write(invalidText + word(), { start: 0, end: sender().draft.length })
      actions.pressSend()
      tally.invalid++
    },
    actOnOutboxRow() {
      const rows = outboxRows(sender())
      if (rows.length === 0) return
      const row = random.pick(rows)
      const { takeBack, moveToField, dismiss, sendHeld } = room.actions
      if (canTakeBack(row)) tally.takenBack++
      const action = canTakeBack(row) ? takeBack : random.pick([sendHeld, moveToField, dismiss])
      act(() => action(row.id))
    },
    logIn() {
      room.actions.logIn(account.name, account.token)
      tally.logins++
    },
    reload() {
      room.stop()
      room = open()
      tally.reloads++
    },
    cut() {
      proxy.cut(random.pick(['close', 'reset']))
      tally.cuts++
    },
    /** Loses a message or its acknowledgement in transit, then cuts the connection. */
    async loseMessage() {
      proxy.stall([random.pick(['toServer', 'toClient'])], 'links')
      actions.typeAndSend()
      await pause(random.whole(0, 60))
      proxy.cut('reset')
      proxy.resume()
      tally.cuts++
    },
    async goOffline() {
      proxy.rejectConnections()
      for (let text = random.whole(1, 4); text > 0; text--) actions.typeAndSend()
      await pause(random.whole(0, 60))
      proxy.resume()
      tally.cuts++
    },
  }
  const drawAction = random.drawFrom([
    ...Array<keyof typeof actions>(24).fill('typeAndSend'),
    ...Array<keyof typeof actions>(10).fill('type'),
    ...Array<keyof typeof actions>(6).fill('actOnOutboxRow'),
    ...(['replace', 'replace', 'replace', 'edit', 'edit', 'pressSend', 'pressSend', 'pressSend'] as const),
    ...([
      'sendInvalidText',
      'logIn',
      'reload',
      'reload',
      'cut',
      'cut',
      'loseMessage',
      'loseMessage',
      'loseMessage',
      'goOffline',
    ] as const),
  ])

  return {
    number,
    tally,
    presses,
    outbox: () => sender().outbox,
    async perform(steps: number) {
      for (let step = 0; step < steps; step++) {
        await actions[drawAction()]()
        if (random.chance(0.7)) await pause(random.whole(0, 40))
      }
    },
    waitUntilConnected: () => waitFor(`user ${number} to be connected`, isLive, { timeoutMs: settleTimeoutMs }),
    async settle() {
      const isDone = () => isLive() && !sender().outbox.some(isPending)
      await waitFor(`user ${number} to have sent its outbox`, isDone, { timeoutMs: settleTimeoutMs })
    },
    async close() {
      room.stop()
      await proxy.close()
    },
  }
}
