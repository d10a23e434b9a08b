import { expect, onTestFinished, vi } from 'vitest'
import { createRoomConnection, type RoomConnection } from '../../web/connection/room-connection.ts'
import type { Timing } from '../../web/connection/timing.ts'
import { createScriptedPage, fastTiming } from './scripted-page.ts'
import { createScriptedLog, openScriptedRoom, type Script, type ScriptedLog } from './scripted-room.ts'

vi.setConfig({ testTimeout: 30_000 })

/** Opened for one test, and gone with it. */
export async function openRoom(log: ScriptedLog = createScriptedLog(), script: Script = {}, port = 0) {
  const room = await openScriptedRoom(log, script, port)
  onTestFinished(room.kill)
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

/** Types over what is in the field and presses Send. */
export function sendMessage({ actions, anonymousName }: RoomConnection, text: string, name = 'bob') {
  anonymousName.set(name)
  actions.setDraft(text)
  actions.send()
}

/** What waits or is in the user's hands, in its order: 'alpha sending'. */
export const outboxOf = (page: RoomConnection) =>
  page.sender.get().outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)

/** Everything that was pressed has been stored. */
export const waitUntilSent = (page: RoomConnection) => until(() => expect(outboxOf(page)).toEqual([]))

export function shownMessages(page: RoomConnection) {
  const { entries, length } = page.messages.get()
  return entries
    .slice(0, length)
    .map((entry) => (entry.kind === 'message' ? `${entry.number} ${entry.message.message}` : entry.kind))
}

export const waitForMessages = (page: RoomConnection, ...expected: string[]) =>
  until(() => expect(shownMessages(page)).toEqual(expected))
