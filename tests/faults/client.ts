import { createPollingAgent } from './polling-agent.ts'
import type { ManagerOptions, SocketOptions } from 'socket.io-client'
import type { Cursor } from '../../contract/messages.ts'
import type { ClientRole, HistoryWriter } from './history.ts'
import type { Outbox } from './outbox.ts'
import type { Random } from './random.ts'

/** Transport of a client. `upgrade`: polling first, then WebSocket, as socket.io-client does by default. */
export type Transport = 'websocket' | 'polling' | 'upgrade'

export interface FaultClientOptions {
  name: string
  port: number
  transport: Transport
  perSecond: number
  history: HistoryWriter
  random: Random
}

/** Message with its text, as a client received it. */
export interface ReceivedMessage {
  key: string
  body: string
  position: Cursor
}

/** Client of a fault run. */
export interface FaultClient {
  name: string
  role: ClientRole
  outbox: Outbox
  open(): void
  /** Returns whether the client is connected and, if it uses a cursor, has received a confirmed cursor. */
  isReady(): boolean
  hasReceived(key: string): boolean
  deliveryCount(): number
  /** Returns the last message that came with its text, on a client that follows removals. */
  lastReceived?(): ReceivedMessage | null
  socketId(): string | undefined
  close(): Promise<void>
}

export function connectionOptions(transport: Transport): Partial<ManagerOptions & SocketOptions> {
  return {
    autoConnect: false,
    forceNew: true,
    transports: transport === 'upgrade' ? ['polling', 'websocket'] : [transport],
    // The delays are shorter than in a page, because a run is short and has many faults.
    reconnectionDelay: 50,
    reconnectionDelayMax: 1_000,
    timeout: 4_000,
    ...(transport === 'websocket' ? {} : { agent: createPollingAgent() as unknown as string }),
  }
}
