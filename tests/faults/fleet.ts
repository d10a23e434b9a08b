import type { FaultClient, FaultClientOptions, Transport } from './client.ts'
import { createFullClient } from './full-client.ts'
import { createHistoryWriter, type HistoryWriter } from './history.ts'
import { readLog } from './read-log.ts'
import { createPlainClient } from './plain-client.ts'
import { createPresenceObserver, type PresenceObserver } from './presence-observer.ts'
import { createRandom } from './random.ts'
import { createStockClient } from './stock-client.ts'
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

/** The run's twenty. */
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

const observerSpecs: ClientSpec[] = [
  ...specs(1, 'full', 'websocket', false),
  ...specs(1, 'full', 'polling', false),
  ...specs(1, 'plain', 'upgrade', false),
]

/** All senders together. A little above the 50 a second that a run must hold. */
const messagesPerSecond = 64
const settleDeadlineMs = 90_000
const markerPatienceMs = 5_000
/** A connection that died without a goodbye is in the list until its pings go unanswered. */
const presencePatienceMs = 45_000

export type Fleet = Awaited<ReturnType<typeof createFleet>>

interface FleetOptions {
  seed: number
  control: boolean
  serverPort: number
  folder: string
  /** The end of the run, come early. */
  signal: AbortSignal
}

/** The clients of a run, each behind a proxy of its own. */
export async function createFleet({ seed, control, serverPort, folder, signal }: FleetOptions) {
  const clients: FaultClient[] = []
  const proxies: TcpProxy[] = []
  const writers: HistoryWriter[] = []
  const perSecond = messagesPerSecond / clientSpecs.filter(({ sends }) => sends).length
  let observers = 0

  async function addClient(name: string, { kind, transport, sends }: ClientSpec): Promise<FaultClient> {
    // An address each: a proxy that goes by it spreads them.
    const proxy = await createTcpProxy(serverPort, `127.0.1.${proxies.length + 1}`)
    proxies.push(proxy)
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

  const watchers: PresenceObserver[] = control
    ? []
    : [true, false].map((wantsDeltas) => createPresenceObserver(serverPort, wantsDeltas))
  let lastKey = ''

  const waitUntil = (what: string, holds: (client: FaultClient) => boolean, timeoutMs: number) =>
    waitFor(what, () => clients.every(holds), { timeoutMs, signal })
  const settled = (client: FaultClient) => client.isReady() && client.outbox.isIdle()

  return {
    proxy(index: number): TcpProxy {
      const proxy = proxies[index]
      if (proxy === undefined) throw new Error(`there is no client ${index}`)
      return proxy
    },
    proxies,
    waitUntilReady: () => waitUntil('every client to be connected', (client) => client.isReady(), settleDeadlineMs),
    startSending: () => clients.forEach(({ outbox }) => outbox.start()),
    /** Somebody says this, whatever the pace. */
    sendText: (text: string) => void clients[0]?.outbox.add(text),
    burst: (forMs: number) => clients.forEach(({ outbox }) => outbox.burst(forMs)),
    deliveries: () => clients.reduce((sum, client) => sum + client.deliveryCount(), 0),
    async addObserver(): Promise<void> {
      const kind = observerSpecs[observers % observerSpecs.length]
      observers++
      if (kind !== undefined) await addClient(`observer-${observers}-${kind.kind}-${kind.transport}`, kind)
    },
    /**
     * No more messages but one: when that one has reached everybody, everybody is at the head. It is
     * repeated with a new one while a client sits on a connection that it has not yet found dead.
     */
    async settle(): Promise<void> {
      for (const { outbox } of clients) outbox.stop()
      const deadline = performance.now() + settleDeadlineMs
      for (;;) {
        const leftMs = Math.max(0, deadline - performance.now())
        await waitUntil('every client to settle', settled, leftMs)
        const marker = clients[0]?.outbox.add('the last one') ?? ''
        const reached = (client: FaultClient) => settled(client) && client.hasReceived(marker)
        try {
          await waitUntil('the last message to reach everybody', reached, Math.min(leftMs, markerPatienceMs))
          lastKey = marker
          return
        } catch (error) {
          if (signal.aborted || performance.now() > deadline) throw error
        }
      }
    },
    /** A fault of these connections has begun, or is over. */
    disturb: (indices: readonly number[], now: boolean) =>
      indices.forEach((index) => writers[index]?.record({ type: 'disturbed', now })),
    readLog: (retainedMessages: number) =>
      readLog({ port: serverPort, history: createHistoryWriter(folder, 'log'), until: lastKey, retainedMessages }),
    /** At rest everybody's list must be the truth; records what differs. */
    async comparePresence(): Promise<void> {
      const everybody = [...clients, ...watchers]
      const truth = () => new Set(everybody.flatMap((client) => client.socketId() ?? []))
      const history = createHistoryWriter(folder, 'presence')
      history.record({ type: 'opened', role: 'server' })
      const isTrue = () => watchers.every((watcher) => watcher.differs(truth()).length === 0)
      await waitFor('the lists to be true', isTrue, { timeoutMs: presencePatienceMs, signal }).catch(() => undefined)
      for (const watcher of watchers) {
        const differs = watcher.differs(truth())
        if (differs.length > 0) history.record({ type: 'wrong presence', watcher: watcher.name, differs })
      }
      await history.close()
    },
    /** Whom a run that does not settle waits for. */
    unsettled: () => clients.filter((client) => !settled(client)).map(({ name }) => name),
    async close(): Promise<void> {
      for (const watcher of watchers) watcher.close()
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
