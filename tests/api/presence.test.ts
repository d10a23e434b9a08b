import type { Socket } from 'socket.io-client'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { PresenceDelta, PresenceVersion } from '../../contract/presence.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

/** Follows the online list as the page does: applies deltas and requests a new list after a missed delta. */
function followList(socket: Socket) {
  let ids = new Set<string>()
  let version = -1
  let [lists, resyncs, deltasToDrop] = [0, 0, 0]
  socket.on(events.onlineUsers, (list: string[], position?: PresenceVersion) => {
    ids = new Set(list)
    version = position?.version ?? version
    lists++
  })
  socket.on(events.onlineUsersDelta, (delta: PresenceDelta) => {
    if (deltasToDrop-- > 0) return
    if (delta.from !== version) {
      resyncs++
      socket.emit(events.onlineUsersResync)
      return
    }
    for (const id of delta.joined) ids.add(id)
    for (const id of delta.left) ids.delete(id)
    version = delta.version
  })
  return {
    socket,
    sorted: () => [...ids].toSorted(),
    lists: () => lists,
    resyncs: () => resyncs,
    dropDeltas: (count: number) => (deltasToDrop = count),
  }
}

test('RT-4 after 200 joins and leaves every client has the correct list, by deltas, by full lists and after a lost delta', async () => {
  const server = await startServer()
  const watch = (auth: object, transports = ['websocket']) => followList(server.client({ auth, transports }))
  const losing = watch({ channel: 'presence', deltas: true })
  const watchers = [
    losing,
    watch({ channel: 'presence', deltas: true }),
    watch({ channel: 'presence' }),
    watch({}),
    watch({ deltas: true }, ['polling']),
    watch({ positions: true }, ['polling', 'websocket']),
  ]
  await Promise.all(watchers.map(({ socket }) => waitForConnect(socket)))
  losing.dropDeltas(1)
  const channels = ['presence', 'messages', undefined]
  const clients = Array.from({ length: 200 }, (_, index) =>
    server.client({ auth: { channel: channels[index % channels.length] }, reconnection: false }),
  )
  clients.forEach((socket, index) => {
    if (index % 4 !== 0) socket.once('connect', () => setImmediate(() => socket.close()))
  })
  await Promise.all(clients.map((socket) => nextEvent(socket, 'connect', 30_000)))
  await expect.poll(() => clients.filter(({ connected }) => connected).length).toBe(50)
  const connectedIds = () =>
    [...watchers.map(({ socket }) => socket), ...clients].flatMap(({ id }) => id ?? []).toSorted()
  for (const { sorted } of watchers) await expect.poll(sorted).toStrictEqual(connectedIds())
  expect(connectedIds()).toHaveLength(watchers.length + 50)
  expect(losing.resyncs()).toBeGreaterThan(0)
  for (const { lists } of watchers) expect(lists()).toBeLessThan(100)

  for (const socket of clients) socket.close()
  for (const { sorted } of watchers) await expect.poll(sorted).toStrictEqual(connectedIds())
})

test('RT-1 RT-4 the two connections of a page receive only the events of their channel, and both are listed', async () => {
  const server = await startServer()
  const [online, messaging] = [
    server.client({ auth: { channel: 'presence', deltas: true } }),
    server.client({ auth: { channel: 'messages' } }),
  ]
  const seen: string[] = []
  online.onAny((event: string) => seen.push(`presence ${event}`))
  messaging.onAny((event: string) => seen.push(`messages ${event}`))
  await Promise.all([waitForConnect(online), waitForConnect(messaging)])
  const joined = collectSocketEvents<[PresenceDelta]>(online, events.onlineUsersDelta)
  const third = await waitForConnect(server.client())
  const thirdId = third.id
  await messaging.emitWithAck(events.sendMessage, { username: 'a', message: 'b', createdTime: 1 })
  await expect.poll(() => joined.seen.flatMap(([{ joined }]) => joined)).toContain(thirdId)
  messaging.emit(events.onlineUsersResync)
  online.emit(events.resume, { epoch: 'any', seq: 0 })
  await messaging.emitWithAck(events.sendMessage, { username: 'a', message: 'c', createdTime: 1 })
  await expect.poll(() => seen).toContain(`messages ${events.receiveMessage}`)
  expect(new Set(seen)).toStrictEqual(
    new Set([
      `presence ${events.onlineUsers}`,
      `presence ${events.onlineUsersDelta}`,
      `messages ${events.cursor}`,
      `messages ${events.receiveMessage}`,
    ]),
  )
  const fresh = nextEvent<[string[]]>(online, events.onlineUsers)
  online.emit(events.onlineUsersResync)
  expect((await fresh)[0].toSorted()).toStrictEqual([online.id, messaging.id, thirdId].toSorted())
})

test('RT-6 a client that loses its transport reconnects and is listed under its new id only', async () => {
  const server = await startServer()
  const watcher = followList(server.client({ auth: { channel: 'presence' } }))
  const client = await waitForConnect(server.client({ reconnectionDelay: 20 }))
  const before = client.id
  await expect.poll(watcher.sorted).toContain(before)
  const back = nextEvent(client, 'connect')
  client.io.engine.close()
  await back
  expect(client.id).not.toBe(before)
  await expect.poll(watcher.sorted).toStrictEqual([client.id, watcher.socket.id].toSorted())
})
