import { expect, onTestFinished, vi } from 'vitest'
import { createRoomConnection, type RoomConnection } from '../../web/connection/room-connection.ts'
import type { Timing } from '../../web/connection/timing.ts'
import { createScriptedPage, fastTiming } from './scripted-page.ts'
import { createScriptedLog, openScriptedRoom, type Script, type ScriptedLog } from './scripted-room.ts'

vi.setConfig({ testTimeout: 30_000 })

/** Opens a scripted server that stops at the end of the test. */
export async function openRoom(log: ScriptedLog = createScriptedLog(), script: Script = {}, port = 0) {
  const room = await openScriptedRoom(log, script, port)
  onTestFinished(room.crash)
  return room
}

export function openPage(url: string, timing: Partial<Timing> = {}, scripted = createScriptedPage()) {
  const connection = createRoomConnection({ url, page: scripted.page, timing: { ...fastTiming, ...timing } })
  onTestFinished(connection.stop)
  connection.start()
  return connection
}

export const until = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000, interval: 5 })

export const waitUntilLive = (page: RoomConnection) => until(() => expect(page.status.get().kind).toBe('live'))

/** Opens a room with one page, and waits for the connection of the page. */
export async function openLivePage(log: ScriptedLog = createScriptedLog()) {
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  const socket = await until(() => {
    const [first, ...others] = room.sockets('messages')
    expect(others).toHaveLength(0)
    if (first === undefined) throw new Error('the page has no connection')
    return first
  })
  return { room, page, socket }
}

/** Sets the anonymous name, replaces the text in the field and sends this text. */
export function sendMessage({ actions, anonymousName }: RoomConnection, text: string, name = 'bob') {
  anonymousName.set(name)
  actions.setDraft(text)
  actions.send()
}

/** Returns text and state of each outbox message, for example 'hello sending'. */
export const outboxOf = (page: RoomConnection) =>
  page.sender.get().outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)

/** Waits until the outbox is empty, because the server has stored all messages. */
export const waitUntilSent = (page: RoomConnection) => until(() => expect(outboxOf(page)).toEqual([]))

/** Returns the number and text of each message, and the kind of each notice. */
export function shownMessages(page: RoomConnection) {
  const { entries, length } = page.messages.get()
  return entries
    .slice(0, length)
    .map((entry) => (entry.kind === 'message' ? `${entry.number} ${entry.message.message}` : entry.kind))
}

export const waitForMessages = (page: RoomConnection, ...expected: string[]) =>
  until(() => expect(shownMessages(page)).toEqual(expected))
