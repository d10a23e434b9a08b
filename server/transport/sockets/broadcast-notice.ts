import type { NodeEvents } from '../../../contract/events.ts'
import { encodePackets, type EventArgs, eventPacket } from '../../room/deliver/encoded-packets.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import type { RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'

/**
 * The way to tell everybody on this node something, whatever their connection is for; `io.emit` is not. `argsFor` may give each place
 * in the line something else. Those who asked for nothing beyond the specification are not told: they would not know the
 * event. Messages go through the room instead.
 */
export function createTellEverybody(io: RoomServer, writer: GuardedWriter) {
  return <Event extends keyof NodeEvents>(
    event: Event,
    argsFor: (place: number) => EventArgs<NodeEvents, Event>,
  ): void => {
    const listeners = [...io.sockets.sockets.values()].filter(({ data }) => data.connection.wantsPositions)
    const byPacket = Map.groupBy(listeners.entries(), ([place]) => eventPacket(event, ...argsFor(place)))
    for (const [packet, group] of byPacket) {
      writer.write(
        group.map(connectionOf),
        encodePackets(() => [packet]),
      )
    }
  }
}

const connectionOf = ([, { conn }]: [number, RoomSocket]) => conn

export type TellEverybody = ReturnType<typeof createTellEverybody>
