import type { FaultClient, FaultClientOptions, Transport } from './client.ts'
import { createFullClient } from './full-client.ts'
import { createHistoryWriter, type HistoryWriter } from './history.ts'
import { readLog } from './read-log.ts'
import { createPlainClient } from './plain-client.ts'
import { createPresenceObserver, type PresenceObserver } from './presence-observer.ts'
import { createRandom } from './random.ts'
import { createStockClient } from './stock-client.ts'
import { watchStalls } from './stall-monitor.ts'
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

type Kind = 'full' | 'plain'

interface ClientSpec {
  kind: Kind
  transport: Transport
  sends: boolean
}

const specs = (count: number, kind: Kind, transport: Transport, sends: boolean): ClientSpec[] =>
  Array.from({ length: count }, () => ({ kind, transport, sends }))

/** Clients of a run. */
const clientSpecs: ClientSpec[] = [
  ...specs(7, 'full', 'websocket', true),
  ...specs(3, 'full', 'polling', true),
  ...specs(2, 'full', 'upgrade', true),
  ...specs(2, 'full', 'websocket', false),
  ...specs(1, 'full', 'polling', false),
  ...specs(2, 'plain', 'upgrade', true),
  ...specs(1, 'plain', 'websocket', true),
  ...specs(1, 'plain', 'polling', true),
  ...specs(1, 'plain', 'websocket', false),
]
export const clientCount = clientSpecs.length

const lateClientSpecs: ClientSpec[] = [
  ...specs(1, 'full', 'websocket', false),
  ...specs(1, 'full', 'polling', false),
  ...specs(1, 'plain', 'upgrade', false),
]

/** Rate of all senders together, above the required 50 per second. */
const messagesPerSecond = 64
const settleDeadlineMs = 90_000
const markerTimeoutMs = 5_000
/**
 * Timeout of the presence check. A connection that ended without a close frame stays in the list until its ping timeout.
 */
const presenceTimeoutMs = 45_000

export type Fleet = Awaited<ReturnType<typeof createFleet>>

interface FleetOptions {
  seed: number
  control: boolean
  serverPort: number
  folder: string
  /** Signal that aborts the run. */
  signal: AbortSignal
}

/** Creates the clients of a run, each behind its own proxy. */
export async function createFleet({ seed, control, serverPort, folder, signal }: FleetOptions) {
  const clients: FaultClient[] = []
  const proxies: TcpProxy[] = []
  const writers: HistoryWriter[] = []
  const addresses: { name: string; address: string }[] = []
  const perSecond = messagesPerSecond / clientSpecs.filter(({ sends }) => sends).length
  let lateClients = 0

  async function addClient(name: string, { kind, transport, sends }: ClientSpec): Promise<FaultClient> {
    // Each client has its own source address, so that a load balancer that hashes the address distributes them.
    const address = `127.0.1.${proxies.length + 1}`
    const proxy = await createTcpProxy(serverPort, address)
    proxies.push(proxy)
    addresses.push({ name, address })
    const history = createHistoryWriter(folder, name)
    writers.push(history)
    const options: FaultClientOptions = {
      name,
      transport,
      port: proxy.port,
      perSecond: sends ? perSecond : 0,
      history,
      random: createRandom(`${name} ${seed}`),
    }
    const create = kind === 'plain' ? createPlainClient : control ? createStockClient : createFullClient
    const client = create(options)
    clients.push(client)
    client.open()
    return client
  }

  for (const [index, { kind, transport, sends }] of clientSpecs.entries()) {
    const number = String(index + 1).padStart(2, '0')
    await addClient(`${number}-${kind}-${transport}${sends ? '' : '-silent'}`, { kind, transport, sends })
  }

  const observers: PresenceObserver[] = control
    ? []
    : [true, false].map((wantsDeltas) => createPresenceObserver(serverPort, wantsDeltas))
  let lastKey = ''
  // A stall of the machine counts as a fault of all clients, because a message that is late during the stall proves no
  // defect.
  const machine = createHistoryWriter(folder, 'machine')
  machine.record({ type: 'opened', role: 'server' })
  const stallMonitor = watchStalls(() => {
    for (const isActive of [true, false]) machine.record({ type: 'fault', isActive })
  })

  const waitUntil = (what: string, condition: (client: FaultClient) => boolean, timeoutMs: number) =>
    waitFor(what, () => clients.every(condition), { timeoutMs, signal })
  const isSettled = (client: FaultClient) => client.isReady() && client.outbox.isIdle()

  return {
    proxy(index: number): TcpProxy {
      const proxy = proxies[index]
      if (proxy === undefined) throw new Error(`no client ${index}`)
      return proxy
    },
    proxies,
    /** Returns the address from which each client connects. */
    addresses: () => addresses,
    waitUntilReady: () => waitUntil('every client to be connected', (client) => client.isReady(), settleDeadlineMs),
    startSending: () => clients.forEach(({ outbox }) => outbox.start()),
    /** Sends a text from the first client, outside of its rate. */
    sendText: (text: string) => void clients[0]?.outbox.add(text),
    burst: (forMs: number) => clients.forEach(({ outbox }) => outbox.burst(forMs)),
    /** Returns, for each client that follows removals, the last message that came with its text. */
    lastReceived: () => clients.flatMap((client) => client.lastReceived?.() ?? []),
    finishedMessages: () => clients.reduce((sum, { outbox }) => sum + outbox.finishedCount(), 0),
    deliveries: () => clients.reduce((sum, client) => sum + client.deliveryCount(), 0),
    async addLateClient(): Promise<void> {
      const spec = lateClientSpecs[lateClients % lateClientSpecs.length]
      lateClients++
      if (spec !== undefined) await addClient(`late-${lateClients}-${spec.kind}-${spec.transport}`, spec)
    },
    /**
     * Stops sending and waits until all clients have received a last message, so that all are at the head.
     * Sends another last message if a client does not receive it in time, for example on a dead connection.
     */
    async settle(): Promise<void> {
      for (const { outbox } of clients) outbox.stop()
      const deadline = performance.now() + settleDeadlineMs
      for (;;) {
        const leftMs = Math.max(0, deadline - performance.now())
        await waitUntil('every client to settle', isSettled, leftMs)
        const marker = clients[0]?.outbox.add('the last one') ?? ''
        const reached = (client: FaultClient) => isSettled(client) && client.hasReceived(marker)
        try {
          await waitUntil('all clients to receive the last message', reached, Math.min(leftMs, markerTimeoutMs))
          lastKey = marker
          return
        } catch (error) {
          if (signal.aborted || performance.now() > deadline) throw error
        }
      }
    },
    /** Records the start or the end of a fault of these clients. */
    recordFault: (indices: readonly number[], isActive: boolean) =>
      indices.forEach((index) => writers[index]?.record({ type: 'fault', isActive })),
    readLog: (retainedMessages: number) =>
      readLog({ port: serverPort, history: createHistoryWriter(folder, 'log'), until: lastKey, retainedMessages }),
    /** Waits until the observed lists of online users are correct, and records differences that remain. */
    async comparePresence(): Promise<void> {
      const everyClient = [...clients, ...observers]
      const onlineIds = () => new Set(everyClient.flatMap((client) => client.socketId() ?? []))
      const history = createHistoryWriter(folder, 'presence')
      history.record({ type: 'opened', role: 'server' })
      const areCorrect = () => observers.every((observer) => observer.differences(onlineIds()).length === 0)
      await waitFor('correct lists of online users', areCorrect, { timeoutMs: presenceTimeoutMs, signal }).catch(
        () => undefined,
      )
      for (const observer of observers) {
        const differences = observer.differences(onlineIds())
        if (differences.length > 0) {
          history.record({ type: 'wrong presence', observer: observer.name, differences })
        }
      }
      await history.close()
    },
    /** Returns the names of the clients that a run still waits for. */
    unsettled: () => clients.filter((client) => !isSettled(client)).map(({ name }) => name),
    async close(): Promise<void> {
      stallMonitor.stop()
      await machine.close()
      for (const observer of observers) observer.close()
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
