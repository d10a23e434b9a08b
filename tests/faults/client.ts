import { createPollingAgent } from './polling-agent.ts'
import type { ManagerOptions, SocketOptions } from 'socket.io-client'
import type { ClientRole, HistoryWriter } from './history.ts'
import type { Outbox } from './outbox.ts'
import type { Random } from './random.ts'

/** `upgrade`: as a stock client connects, by polling first. */
export type Transport = 'websocket' | 'polling' | 'upgrade'

export interface FaultClientOptions {
  name: string
  port: number
  transport: Transport
  perSecond: number
  history: HistoryWriter
  random: Random
}

/** One of the run's clients, whatever it speaks. */
export interface FaultClient {
  name: string
  role: ClientRole
  outbox: Outbox
  open(): void
  /** Connected, and told where it stands if it is to be told. */
  isReady(): boolean
  hasReceived(key: string): boolean
  /** How many deliveries so far. */
  deliveryCount(): number
  socketId(): string | undefined
  close(): Promise<void>
}

export function connectionOptions(transport: Transport): Partial<ManagerOptions & SocketOptions> {
  return {
    autoConnect: false,
    forceNew: true,
    transports: transport === 'upgrade' ? ['polling', 'websocket'] : [transport],
    // A run is short and its faults are many: clients come back sooner than a page would.
    reconnectionDelay: 50,
    reconnectionDelayMax: 1_000,
    timeout: 4_000,
    ...(transport === 'websocket' ? {} : { agent: createPollingAgent() as unknown as string }),
  }
}
