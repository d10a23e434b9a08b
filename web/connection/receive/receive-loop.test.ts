import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { events } from '../../../contract/events.ts'
import type { RoomSocket } from '../link/link.ts'
import { createMessageBuffer } from './message-buffer.ts'
import { createReceiveLoop } from './receive-loop.ts'

const message = { username: 'ann', message: 'hello', createdTime: 0 }
const at = (seq: number) => ({ epoch: 'log', seq })

/** Creates a page that has received message 1. `emitted` contains the events that the page emits. */
function createPage() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const log = createMessageBuffer()
  const onResponseTimeout = vi.fn<() => void>()
  const loop = createReceiveLoop({ responseTimeoutMs: 1_000, log, onChange: () => undefined, onResponseTimeout })
  const emitted: unknown[][] = []
  const server = new EventEmitter()
  const connect = () => {
    server.removeAllListeners()
    const socket = {
      on: (name: string, listener: () => void) => void server.on(name, listener),
      emit: (...event: unknown[]) => void emitted.push(event),
    }
    const cursor = loop.beginHandshake()
    loop.addListeners(socket as unknown as RoomSocket)
    return cursor
  }
  connect()
  server.emit(events.cursor, at(0), { head: 0 })
  server.emit(events.receiveMessage, message, at(1))
  const view = () => log.view()
  return { server, connect, view, emitted, onResponseTimeout }
}

test('DELIVERY-3 a page shows a replay only while it lacks messages from before it reconnected', () => {
  const { server, connect, view } = createPage()
  expect(connect()).toStrictEqual(at(1))
  server.emit(events.cursor, at(1), { head: 1 })
  expect(view().isReplaying).toBe(false)
  connect()
  server.emit(events.cursor, at(1), { head: 3 })
  expect(view().isReplaying).toBe(true)
  for (const [seq, isReplaying] of [
    [2, true],
    [3, false],
    [4, false],
  ] as const) {
    server.emit(events.receiveMessage, message, at(seq))
    expect(view().isReplaying).toBe(isReplaying)
  }
  expect(view().entries.map((entry) => entry.kind === 'message' && entry.isLive)).toStrictEqual([
    true,
    false,
    false,
    true,
  ])
})

test('DELIVERY-4 a gap up to the end of a replay, or beyond it, ends the replay', () => {
  for (const seq of [3, 5]) {
    const { server, connect, view } = createPage()
    connect()
    server.emit(events.cursor, at(1), { head: 3 })
    server.emit(events.cursor, at(2))
    expect(view().isReplaying).toBe(true)
    server.emit(events.cursor, at(seq))
    expect(view().isReplaying).toBe(false)
    expect(view().entries.at(-1)?.kind).toBe('gap')
  }
})

test('DELIVERY-4 a late response to a resume, which the page ignores, starts no replay', () => {
  const { server, connect, view } = createPage()
  connect()
  server.emit(events.cursor, at(1), { head: 5 })
  server.emit(events.receiveMessage, message, at(3))
  server.emit(events.cursor, at(4))
  server.emit(events.receiveMessage, message, at(5))
  expect(view().isReplaying).toBe(false)
  server.emit(events.cursor, at(1))
  expect(view().isReplaying).toBe(false)
})

test('DELIVERY-3 a page that receives no replay notice shows no replay', () => {
  const { server, connect, view } = createPage()
  connect()
  server.emit(events.cursor, at(1))
  expect(view().isReplaying).toBe(false)
  server.emit(events.receiveMessage, message, at(2))
  expect(view().entries.at(-1)).toMatchObject({ isLive: true })
})

test('DELIVERY-4 a page reports a timeout only if the server does not respond to its request in time', () => {
  const { server, emitted, onResponseTimeout } = createPage()
  server.emit(events.receiveMessage, message, at(3))
  expect(emitted).toStrictEqual([[events.resume, at(1)]])
  vi.advanceTimersByTime(900)
  server.emit(events.cursor, at(1))
  vi.advanceTimersByTime(2_000)
  expect(onResponseTimeout).not.toHaveBeenCalled()
  server.emit(events.receiveMessage, message, at(3))
  vi.advanceTimersByTime(1_000)
  expect(onResponseTimeout).toHaveBeenCalledOnce()
})

test('MODERATION-34 after a rollback, entries that the log has lost have no sequence number', () => {
  const { server, connect, view } = createPage()
  server.emit(events.receiveMessage, message, at(2))
  const seqs = () => view().entries.map((entry) => entry.kind === 'message' && entry.seq)
  connect()
  server.emit(events.cursor, at(1), { head: 1 })
  expect(seqs()).toStrictEqual([1, undefined, false])
  connect()
  server.emit(events.cursor, { epoch: 'another log', seq: 7 }, { head: 7 })
  expect(seqs()).toStrictEqual([undefined, undefined, false, false])
})
