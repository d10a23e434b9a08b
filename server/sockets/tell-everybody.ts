import type { ServerToClientEvents } from '../../contract/events.ts'
import { encodePackets, type EventArgs, eventPacket } from '../fanout/encoded-packets.ts'
import type { GuardedWriter } from '../fanout/guarded-writer.ts'
import type { RoomServer } from './socket-server.ts'

/**
 * The way to tell everybody something, whatever their connection is for; `io.emit` is not. Those who asked for nothing
 * beyond the specification are not told: they would not know the event. Messages go through the room instead.
 */
export function createTellEverybody(io: RoomServer, writer: GuardedWriter) {
  return <Event extends keyof ServerToClientEvents>(
    event: Event,
    ...args: EventArgs<ServerToClientEvents, Event>
  ): void => {
    const listeners = [...io.sockets.sockets.values()].filter(({ data }) => data.connection.wantsPositions)
    writer.write(
      listeners.map(({ conn }) => conn),
      encodePackets(() => [eventPacket(event, ...args)]),
    )
  }
}

export type TellEverybody = ReturnType<typeof createTellEverybody>
