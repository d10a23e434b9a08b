import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { waitUntilLive, openPage, openRoom, sendMessage, waitForMessages, until } from '../../tests/web/page-session.ts'
import { createScriptedLog } from '../../tests/web/scripted-room.ts'

test('RT-1 a page opens exactly one message and one presence connection, also when it is started again', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  page.start()
  expect(page.status.get()).toEqual({ kind: 'connecting' })
  await waitUntilLive(page)
  page.start()
  await until(() => expect(page.onlineUsers.get().length).toBeGreaterThan(0))
  expect(log.handshakes).toHaveLength(2)
  expect(log.handshakes).toContainEqual({ channel: 'messages', removals: true })
  expect(log.handshakes).toContainEqual({ channel: 'presence', deltas: true })
  page.stop()
  await until(() => expect(room.io.engine.clientsCount).toBe(0))
})

test('RT-3 RT-5 a new page appends and numbers new messages and receives no earlier ones', async () => {
  const room = await openRoom()
  room.broadcast('before')
  const page = openPage(room.url)
  await waitUntilLive(page)
  await until(() => expect(room.sockets('messages')).toHaveLength(1))
  room.broadcast('one')
  room.broadcast('two')
  await waitForMessages(page, '1 one', '2 two')
  expect(page.messages.get().entries).toMatchObject([{ key: 0, isLive: true }, { key: 1 }])
})

test('RT-3 a page works with a server that sends only the specified events', async () => {
  const room = await openRoom(createScriptedLog(), { withoutPositions: true })
  const page = openPage(room.url)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
  room.broadcast('hello bob')
  await waitForMessages(page, '1 hello', '2 hello bob')
})

test('RT-4 the page applies lists and deltas, and requests a full list when a delta is missing', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  const lists = (ids: string[]) => until(() => expect(page.onlineUsers.get()).toEqual(ids))
  const [presence] = await until(() => {
    const open = room.sockets('presence')
    expect(open).toHaveLength(1)
    return open
  })
  presence!.emit(events.onlineUsers, ['a', 'b'], { version: 4 })
  await lists(['a', 'b'])
  presence!.emit(events.onlineUsersDelta, { from: 4, version: 5, joined: ['c'], left: ['a'] })
  await lists(['b', 'c'])
  presence!.emit(events.onlineUsersDelta, { from: 8, version: 9, joined: ['d'], left: [] })
  presence!.emit(events.onlineUsersDelta, { from: 9, version: 10, joined: ['e'], left: [] })
  await lists(['a', 'b', 'c'])
  expect(log.resyncs).toBe(1)
})

test('RT-6 DELIVERY-3 after a server crash and restart the page shows every missed message once', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  room.broadcast('one')
  await waitForMessages(page, '1 one')
  await room.crash()
  await until(() => expect(page.status.get()).toMatchObject({ kind: 'lost' }))
  const createdTime = Date.now() - 60_000
  log.messages.push({ username: 'other', message: 'missed', createdTime })
  const again = await openRoom(log, {}, room.port)
  await waitUntilLive(page)
  await waitForMessages(page, '1 one', '2 missed')
  again.broadcast('three', Date.now() + 60_000)
  await waitForMessages(page, '1 one', '2 missed', '3 three')
  expect(page.messages.get().entries.map((entry) => entry.kind === 'message' && entry.isLive)).toEqual([
    true,
    false,
    true,
  ])
  expect(log.handshakes).toContainEqual({ channel: 'messages', removals: true, cursor: { epoch: 'first-log', seq: 1 } })
})

test('RT-6 a page reconnects when the server closes the connection', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  await waitUntilLive(page)
  const before = room.sockets('messages')[0]!.id
  room.io.disconnectSockets()
  await until(() => expect(room.sockets('messages').map(({ id }) => id)).not.toContain(before))
  await waitUntilLive(page)
})

test('RT-6 a page falls back to polling when the server rejects WebSocket', async () => {
  const room = await openRoom(createScriptedLog(), { pollingOnly: true })
  const page = openPage(room.url)
  await waitUntilLive(page)
  expect(room.sockets('messages')[0]!.conn.transport.name).toBe('polling')
  room.broadcast('slowly')
  await waitForMessages(page, '1 slowly')
})

test('DELIVERY-4 a page shows a gap when the log cannot replay the missed messages', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  await waitUntilLive(page)
  room.broadcast('one')
  await waitForMessages(page, '1 one')
  await room.crash()
  const other = await openRoom(createScriptedLog('second-log'), {}, room.port)
  await until(() => expect(other.sockets('messages')).toHaveLength(1))
  other.broadcast('two')
  await waitForMessages(page, '1 one', 'gap', '2 two')
})

test('DELIVERY-4 a page requests missing messages, and reconnects when the server does not respond', async () => {
  for (const ignoresResumes of [false, true]) {
    const log = createScriptedLog()
    const room = await openRoom(log, { ignoresResumes })
    const page = openPage(room.url, { responseTimeoutMs: 20 })
    await waitUntilLive(page)
    room.broadcast('one')
    await waitForMessages(page, '1 one')
    for (const message of ['two', 'three']) log.messages.push({ username: 'other', message, createdTime: Date.now() })
    room.sockets('messages')[0]!.emit(events.receiveMessage, log.messages[2]!, { epoch: log.epoch, seq: 3 })
    await waitForMessages(page, '1 one', '2 two', '3 three')
    expect(log.resumes).toEqual([{ epoch: log.epoch, seq: 1 }])
  }
})

test('DELIVERY-7 the status is restarting from the announcement until both connections are back', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  room.io.emit(events.restarting, { inMs: 5_000 })
  await until(() => expect(page.status.get()).toEqual({ kind: 'restarting' }))
  const seen = new Set<string>()
  page.status.subscribe(() => seen.add(page.status.get().kind))
  await room.crash()
  await openRoom(log, {}, room.port)
  await waitUntilLive(page)
  expect([...seen]).toEqual(['live'])
})

test('DELIVERY-7 a restart that takes too long becomes a lost connection', async () => {
  const room = await openRoom()
  const page = openPage(room.url, { restartGraceMs: 20 })
  await waitUntilLive(page)
  const seen: string[] = []
  page.status.subscribe(() => seen.push(page.status.get().kind))
  room.io.emit(events.restarting, { inMs: 30 })
  await until(() => expect(seen).toContain('restarting'))
  await room.crash()
  await until(() => expect(page.status.get().kind).toBe('lost'))
})
