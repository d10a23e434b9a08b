import { expect, test } from 'vitest'
import { events } from '../../../contract/events.ts'
import type { Cursor } from '../../../contract/messages.ts'
import type { RoomSocket } from '../../transport/sockets/connection.ts'
import type { BroadcastNotice } from '../../transport/sockets/broadcast-notice.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { encode, eventPacket, packetOfEncoded, specifiedPacketOfEncoded } from './encoded-packets.ts'

const payload = { username: 'a', message: 'b', createdTime: 1 }

test('WIRE-3 a packet is what Socket.IO would send for the event', () => {
  expect(eventPacket(events.cursor, { epoch: 'e', seq: 1 })).toBe('2["cursor",{"epoch":"e","seq":1}]')
  expect(packetOfEncoded(events.receiveMessage, encode(payload), encode({ epoch: 'e', seq: 1 }))).toBe(
    `2${JSON.stringify(['recive_message', payload, { epoch: 'e', seq: 1 }])}`,
  )
  expect(specifiedPacketOfEncoded(events.onlineUsers, encode(['a', 'b']))).toBe('2["online-users",["a","b"]]')
})

test('WIRE-3 what the contract does not have does not compile', () => {
  const neverRun = (socket: RoomSocket, broadcastNotice: BroadcastNotice) => {
    // @ts-expect-error: no such event
    eventPacket('curser', { epoch: 'e', seq: 1 })
    // @ts-expect-error: a position without its epoch
    eventPacket(events.cursor, { seq: 1 })
    // @ts-expect-error: a message without its position, for those who asked for it
    eventPacket(events.receiveMessage, payload)
    // @ts-expect-error: text that encodes something else
    packetOfEncoded(events.restarting, encode({ soon: true }))
    // @ts-expect-error: text of which nobody knows what it encodes
    specifiedPacketOfEncoded(events.receiveMessage, JSON.stringify(payload))
    // @ts-expect-error: a second argument, for those who asked for nothing
    specifiedPacketOfEncoded(events.receiveMessage, encode(payload), encode({ epoch: 'e', seq: 1 }))
    // @ts-expect-error: an event that is not for those who asked for nothing
    specifiedPacketOfEncoded(events.cursor, encode({ epoch: 'e', seq: 1 }))
    // @ts-expect-error: no such event
    socket.emit('curser', { epoch: 'e', seq: 1 })
    // @ts-expect-error: an event that not everybody asked for
    socket.emit(events.cursor, { epoch: 'e', seq: 1 })
    // @ts-expect-error: no notice of this node, but something that the whole room has to hear
    broadcastNotice(events.cursor, (): [Cursor] => [{ epoch: 'e', seq: 1 }])
    // @ts-expect-error: no such code on any transport
    return new RejectionError('unavailabel', 'A typo.')
  }
  expect(neverRun).toBeTypeOf('function')
})

test('WIRE-3 a refusal of one transport is none of another', () => {
  const taken = new RejectionError('name_taken', 'The name is taken.')
  expect(taken.isOneOf(['invalid', 'unavailable'])).toBe(false)
  expect(taken.isOneOf(['name_taken'])).toBe(true)
})
