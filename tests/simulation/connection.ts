import type { SendAck } from '../../contract/messages.ts'
import type { Random } from '../faults/random.ts'
import { createPipe } from './network.ts'
import type { VirtualTime } from './virtual-time.ts'

export interface ClientEnd {
  onEvent(event: string, args: unknown[]): void
  onClosed(): void
}

export interface ServerEnd {
  receive(connection: Connection, event: string, args: unknown[], answer: (ack: SendAck) => void): void
  leave(connection: Connection): void
}

export type Connection = ReturnType<typeof createConnection>

const longestNoticeMs = 3_000

/** One connection between a page and a server, until it is cut. Each side learns of that in its own time. */
export function createConnection(time: VirtualTime, random: Random, client: ClientEnd, server: ServerEnd) {
  const down = createPipe(time, random)
  const up = createPipe(time, random)
  let open = true
  let serverKnows = false

  const connection = {
    isOpen: () => !serverKnows,
    toClient(event: string, args: unknown[]): void {
      if (open) down.send(() => client.onEvent(event, args))
    },
    /** Resolves when all that was sent so far has been taken; never, when the connection is cut before. */
    drained: () => new Promise<void>((resolve) => down.send(resolve)),
    toServer(event: string, args: unknown[], onAnswer: (ack: SendAck) => void): void {
      if (!open) return
      up.send(() =>
        server.receive(connection, event, args, (ack) => {
          if (open) down.send(() => onAnswer(ack))
        }),
      )
    },
    cut(): void {
      if (!open) return
      open = false
      down.cut()
      up.cut()
      time.after(random.whole(0, longestNoticeMs), () => {
        serverKnows = true
        server.leave(connection)
      })
      time.after(random.whole(0, longestNoticeMs), () => client.onClosed())
    },
  }
  return connection
}
