import type { NodeEvents } from '../../../contract/events.ts'
import { encodePackets, type EventArgs, eventPacket } from '../../room/deliver/encoded-packets.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import type { RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'

/**
 * Sends an event to all clients of this node; `io.emit` does not reach them. `argsFor` may return other arguments for
 * each index. Clients that asked for nothing beyond the specification are skipped, because the specification does not
 * have the event. Messages go through the room instead.
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
