import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialects/dialect.ts'
import { createDialect } from './dialects/dialects.ts'
import type { BurstRequest, BurstReport, FinishRequest, FleetCalls } from './fleet-protocol.ts'
import { maskedFrame } from './dialects/frames.ts'
import { openWithRetry } from './connection-retry.ts'
import { createSender } from './sender.ts'
import { createDeliveryCounter } from './delivery-counter.ts'
import { createBusyWait } from './busy-wait.ts'

const maxConnections = 20_000
const concurrency = 64

/**
 * Creates the call handlers of a fleet. A fleet holds many connections of this process to the server under test, counts
 * their deliveries and can send messages.
 */
function createFleet() {
  const deliveries = createDeliveryCounter(maxConnections)
  const connections: Connection[] = []
  let dialect: Dialect | undefined
  let closedConnections = 0
  let request: BurstRequest | undefined
  let cpuAtStart = process.cpuUsage()
  let bytesReceived = 0
  const busyWaiter = createBusyWait(() => bytesReceived)
  const requireDialect = () => {
    if (dialect === undefined) throw new Error('fleet call before setup')
    return dialect
  }
  const sender = createSender(requireDialect, connections)

  async function connect({ count }: { count: number }): Promise<null> {
    const { endpoint, onUpgraded, onFrame } = requireDialect()
    const target = connections.length + count
    if (target > maxConnections)
      throw new Error(`too many connections in one fleet: ${target}, at most ${maxConnections}`)
    let next = connections.length
    const handlers = {
      onUpgraded,
      onFrame,
      onBytes: (count: number) => {
        bytesReceived += count
        deliveries.addBytes(count)
      },
      onClose: () => {
        closedConnections++
      },
    }
    const worker = async () => {
      while (next < target) {
        const index = next++
        connections[index] = await openWithRetry(index, endpoint, handlers)
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker))
    return null
  }

  function startBurst(next: BurstRequest): null {
    request = next
    closedConnections = 0
    deliveries.start(next)
    requireDialect().acks?.reset()
    if (next.isSender) sender.start(next)
    cpuAtStart = process.cpuUsage()
    if (next.shouldBusyWait) busyWaiter.start()
    return null
  }

  async function finishBurst({ deadlineMs }: FinishRequest): Promise<BurstReport> {
    if (request === undefined) throw new Error('finishBurst call before startBurst')
    const { acks } = requireDialect()
    await deliveries.waitForAll(() => connections.length, deadlineMs)
    while (request.isSender && (acks?.pendingCount() ?? 0) > 0 && nowMs() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    sender.stop()
    busyWaiter.stop()
    const cpu = process.cpuUsage(cpuAtStart)
    const cpuMs = (cpu.user + cpu.system) / 1_000
    return {
      ...deliveries.report(connections.length),
      acks: request.isSender ? (acks?.report(sender.sent()) ?? null) : null,
      worstSendDelayMs: sender.worstDelayMs(),
      cpuMs,
      busyMs: cpuMs - (request.shouldBusyWait ? busyWaiter.idleMs() : 0),
      wallMs: nowMs() - request.startAtMs,
      closedConnections,
    }
  }

  /** Closes all but the first `count` connections, with a TCP reset so that no port stays in TIME_WAIT. */
  async function shrink({ count }: { count: number }): Promise<null> {
    const removed = connections.splice(count)
    await Promise.all(
      removed.map(
        ({ socket, isClosed }) =>
          new Promise<void>((resolve) => {
            if (isClosed) return resolve()
            socket.once('close', () => resolve())
            socket.resetAndDestroy()
          }),
      ),
    )
    return null
  }

  function pause({ connection, isPaused }: { connection: number; isPaused: boolean }): null {
    deliveries.ignore(connection, isPaused)
    if (isPaused) connections[connection]!.socket.pause()
    else connections[connection]!.socket.resume()
    return null
  }

  return {
    setup(options: FleetCalls['setup']['request']): null {
      dialect = createDialect(options.dialect, { ...options, deliveries })
      return null
    },
    connect,
    startBurst,
    finishBurst,
    shrink,
    pause,
    sendText({ text }: { text: string }): null {
      connections[0]!.socket.write(maskedFrame(text))
      return null
    },
    state: () => {
      const open = connections.filter(({ isClosed }) => !isClosed).length
      return { open, closed: connections.length - open }
    },
  }
}

serveCalls<FleetCalls>(createFleet())
