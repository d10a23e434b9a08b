import type { SendAck } from '../../contract/messages.ts'
import type { Random } from '../faults/random.ts'
import { createPipe } from './network.ts'
import type { VirtualTime } from './virtual-time.ts'

export interface ClientEnd {
  onEvent(event: string, args: unknown[]): void
  onClosed(): void
}

export interface ServerEnd {
  receive(connection: Connection, event: string, args: unknown[], acknowledge: (ack: SendAck) => void): void
  leave(connection: Connection): void
}

export type Connection = ReturnType<typeof createConnection>

/** Maximum delay until a side detects that the connection is cut. */
const maxDetectionMs = 3_000

/** Simulates one connection between a client and a server. Each side detects a cut after its own delay. */
export function createConnection(time: VirtualTime, random: Random, client: ClientEnd, server: ServerEnd) {
  const down = createPipe(time, random)
  const up = createPipe(time, random)
  let isConnected = true
  let isClosedOnServer = false

  const connection = {
    isOpen: () => !isClosedOnServer,
    toClient(event: string, args: unknown[]): void {
      if (isConnected) down.send(() => client.onEvent(event, args))
    },
    /**
     * Resolves when everything sent to the client so far has arrived. Never resolves if the connection is cut before
     * that.
     */
    drained: () => new Promise<void>((resolve) => down.send(resolve)),
    toServer(event: string, args: unknown[], onAck: (ack: SendAck) => void): void {
      if (!isConnected) return
      up.send(() =>
        server.receive(connection, event, args, (ack) => {
          if (isConnected) down.send(() => onAck(ack))
        }),
      )
    },
    cut(): void {
      if (!isConnected) return
      isConnected = false
      down.cut()
      up.cut()
      time.after(random.whole(0, maxDetectionMs), () => {
        isClosedOnServer = true
        server.leave(connection)
      })
      time.after(random.whole(0, maxDetectionMs), () => client.onClosed())
    },
  }
  return connection
}
