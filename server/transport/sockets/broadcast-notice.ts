import type { NodeEvents } from '../../../contract/events.ts'
import { encodePackets, type EventArgs, eventPacket } from '../../room/deliver/encoded-packets.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import type { RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'

/**
 * Creates a function that sends an event to each connection of this node that requests positions. `argsFor` gets the index
 * of a connection and returns its arguments. Use the function instead of `io.emit`, which throws. Messages go through the
 * room instead.
 */
export function createNoticeBroadcast(io: RoomServer, writer: GuardedWriter) {
  return <Event extends keyof NodeEvents>(
    event: Event,
    argsFor: (index: number) => EventArgs<NodeEvents, Event>,
  ): void => {
    const clients = [...io.sockets.sockets.values()].filter(({ data }) => data.connection.wantsPositions)
    const byPacket = Map.groupBy(clients.entries(), ([index]) => eventPacket(event, ...argsFor(index)))
    for (const [packet, group] of byPacket) {
      writer.write(
        group.map(connectionOf),
        encodePackets(() => [packet]),
      )
    }
  }
}

const connectionOf = ([, { conn }]: [number, RoomSocket]) => conn

export type BroadcastNotice = ReturnType<typeof createNoticeBroadcast>
