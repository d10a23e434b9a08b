import { Server } from 'socket.io'
import { expect, test } from 'vitest'
import { RoomlessAdapter } from './socket-server.ts'

test('FANOUT-8 a broadcast through Socket.IO throws and names the function to use', async () => {
  const io = new Server({ adapter: RoomlessAdapter })
  expect(() => io.emit('anything')).toThrow('broadcastNotice')
  expect(() => io.to('room').emit('anything')).toThrow('broadcastNotice')
  expect(() => io.disconnectSockets()).toThrow('broadcastNotice')
  expect(() => io.socketsJoin('room')).toThrow('broadcastNotice')
  await expect(async () => io.fetchSockets()).rejects.toThrow('broadcastNotice')
})
