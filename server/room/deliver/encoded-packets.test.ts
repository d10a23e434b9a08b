import { expect, test } from 'vitest'
import { events } from '../../../contract/events.ts'
import type { Cursor } from '../../../contract/messages.ts'
import type { RoomSocket } from '../../transport/sockets/connection.ts'
import type { BroadcastNotice } from '../../transport/sockets/broadcast-notice.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { encode, eventPacket, packetOfEncoded, specifiedPacketOfEncoded } from './encoded-packets.ts'

const payload = { username: 'a', message: 'b', createdTime: 1 }

test('WIRE-3 a packet equals the one that Socket.IO sends for the event', () => {
  expect(eventPacket(events.cursor, { epoch: 'e', seq: 1 }, { head: 3 })).toBe(
    '2["cursor",{"epoch":"e","seq":1},{"head":3}]',
  )
  expect(packetOfEncoded(events.receiveMessage, encode(payload), encode({ epoch: 'e', seq: 1 }))).toBe(
    `2${JSON.stringify(['recive_message', payload, { epoch: 'e', seq: 1 }])}`,
  )
  expect(specifiedPacketOfEncoded(events.onlineUsers, encode(['a', 'b']))).toBe('2["online-users",["a","b"]]')
})

test('WIRE-3 events and arguments outside the contract do not compile', () => {
  const neverRun = (socket: RoomSocket, broadcastNotice: BroadcastNotice) => {
    // @ts-expect-error: no such event
    eventPacket('curser', { epoch: 'e', seq: 1 })
    // @ts-expect-error: a position without its epoch
    eventPacket(events.cursor, { seq: 1 })
    // @ts-expect-error: a message without its position, for connections that request positions
    eventPacket(events.receiveMessage, payload)
    // @ts-expect-error: text that encodes something else
    packetOfEncoded(events.restarting, encode({ soon: true }))
    // @ts-expect-error: text that is not branded with its type
    specifiedPacketOfEncoded(events.receiveMessage, JSON.stringify(payload))
    // @ts-expect-error: a second argument, for connections without positions
    specifiedPacketOfEncoded(events.receiveMessage, encode(payload), encode({ epoch: 'e', seq: 1 }))
    // @ts-expect-error: an event that is not for connections without positions
    specifiedPacketOfEncoded(events.cursor, encode({ epoch: 'e', seq: 1 }))
    // @ts-expect-error: no such event
    socket.emit('curser', { epoch: 'e', seq: 1 })
    // @ts-expect-error: an event that is not for all connections
    socket.emit(events.cursor, { epoch: 'e', seq: 1 })
    // @ts-expect-error: not a notice of this node, but an event for one connection
    broadcastNotice(events.cursor, (): [Cursor] => [{ epoch: 'e', seq: 1 }])
    // @ts-expect-error: no such code on any transport
    return new RejectionError('unavailabel', 'A typo.')
  }
  expect(neverRun).toBeTypeOf('function')
})

test('WIRE-3 a rejection code of one transport is not valid on another', () => {
  const taken = new RejectionError('name_taken', 'The name is taken.')
  expect(taken.isOneOf(['invalid', 'unavailable'])).toBe(false)
  expect(taken.isOneOf(['name_taken'])).toBe(true)
})
