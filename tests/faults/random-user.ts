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

/** What the life did with one press. */
export interface PressRecord {
  payload: ChatMessage
  /** It was out of its turn, in the user's hands. */
  wasInHand: boolean
  /** The user took it back, reworked or dismissed it: it is no message any more. */
  released: boolean
}

export interface RandomUserOptions {
  number: number
  proxy: TcpProxy
  random: Random
  account: { name: string; token: string }
}

const timing = { ...fastTiming, cursorTimeoutMs: 1_000, ackTimeoutMs: 1_500 }
/** Not a Unicode text: the server refuses it for good. */
const unsendable = '\ud800'
const settleDeadlineMs = 120_000

export type RandomUser = ReturnType<typeof createRandomUser>

/** One user at one page: the page's own connection code, behind a proxy, and hands that do what they like. */
export function createRandomUser({ number, proxy, random, account }: RandomUserOptions) {
  const storage = new Map<string, string>()
  const presses = new Map<string, PressRecord>()
  const tally = { presses: 0, cuts: 0, reloads: 0, logins: 0, takenBack: 0, refused: 0 }
  let clockMs = 0
  let words = 0
  let room = open()

  function open(): RoomConnection {
    const { page } = createScriptedPage({ storage })
    // Text and time together tell one press from every other.
    const nowMs = () => (clockMs = Math.max(clockMs + 1, Date.now()))
    const opened = createRoomConnection({
      url: `http://127.0.0.1:${proxy.port}`,
      page: { ...page, nowMs },
      timing,
    })
    opened.sender.subscribe(() => opened.sender.get().outbox.forEach(note))
    opened.anonymousName.set(`life ${number}`)
    opened.start()
    opened.sender.get().outbox.forEach(note)
    return opened
  }

  function note({ id, payload, state }: OutboxMessage) {
    const record = presses.get(id) ?? { payload, wasInHand: false, released: false }
    record.payload = payload
    record.wasInHand ||= state.kind === 'held' || state.kind === 'refused'
    presses.set(id, record)
  }

  const sender = () => room.sender.get()
  const isLive = () => room.status.get().kind === 'live'
  const isHere = (id: string) => sender().outbox.some((message) => message.id === id)
  const word = () => `${number}.${words++} `

  /** Whatever an action made disappear without an acknowledgement was given back by it. */
  function act(action: () => void) {
    const before = sender().outbox
    action()
    for (const { id } of before) if (!isHere(id)) presses.get(id)!.released = true
  }

  function write(next: string, selected: SelectionRange) {
    const { draft, fieldMessageId } = sender()
    const change =
      fieldMessageId === null ? { draft: next, isRevision: false } : classifyFieldChange(draft, selected, next)
    act(() => room.actions.setDraft(change.draft, change.isRevision))
  }

  const hands = {
    typeOn() {
      const { draft } = sender()
      write(draft + word(), { start: draft.length, end: draft.length })
    },
    replace: () => write(word(), { start: 0, end: sender().draft.length }),
    rework: () => write(sender().draft.slice(1), { start: 0, end: 1 }),
    press() {
      const known = presses.size
      act(room.actions.send)
      tally.presses += presses.size - known
    },
    writeAndPress() {
      hands.typeOn()
      hands.press()
    },
    pressUnsendable() {
      write(unsendable + word(), { start: 0, end: sender().draft.length })
      hands.press()
      tally.refused++
    },
    workOnRow() {
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
    /** What is sent is lost on its way, and then the connection too. */
    async swallow() {
      proxy.stall([random.pick(['toServer', 'toClient'])], 'links')
      hands.writeAndPress()
      await pause(random.whole(0, 60))
      proxy.cut('reset')
      proxy.resume()
      tally.cuts++
    },
    async goAway() {
      proxy.refuse()
      for (let text = random.whole(1, 4); text > 0; text--) hands.writeAndPress()
      await pause(random.whole(0, 60))
      proxy.resume()
      tally.cuts++
    },
  }
  const deck = random.deck([
    ...Array<keyof typeof hands>(24).fill('writeAndPress'),
    ...Array<keyof typeof hands>(10).fill('typeOn'),
    ...Array<keyof typeof hands>(6).fill('workOnRow'),
    ...(['replace', 'replace', 'replace', 'rework', 'rework', 'press', 'press', 'press'] as const),
    ...([
      'pressUnsendable',
      'logIn',
      'reload',
      'reload',
      'cut',
      'cut',
      'swallow',
      'swallow',
      'swallow',
      'goAway',
    ] as const),
  ])

  return {
    number,
    tally,
    presses,
    pressedNow: () => sender().outbox,
    async live(steps: number) {
      for (let step = 0; step < steps; step++) {
        await hands[deck()]()
        if (random.chance(0.7)) await pause(random.whole(0, 40))
      }
    },
    connected: () => waitFor(`life ${number} to be connected`, isLive, { timeoutMs: settleDeadlineMs }),
    async settle() {
      const isDone = () => isLive() && !sender().outbox.some(isPending)
      await waitFor(`life ${number} to have sent what it promised`, isDone, { timeoutMs: settleDeadlineMs })
    },
    async end() {
      room.stop()
      await proxy.close()
    },
  }
}
