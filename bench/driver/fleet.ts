import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { createDialect } from './dialects.ts'
import type { BurstOrder, BurstReport, ConnectOrder, FinishOrder, FleetCalls } from './fleet-protocol.ts'
import { maskedFrame } from './frames.ts'
import { openPersistently } from './persistent-connection.ts'
import { createSender } from './sender.ts'
import { createTally } from './tally.ts'
import { createVigil } from './vigil.ts'

const capacity = 12_000

/** A process that holds many connections to the server under test, receives, counts and, if told to, sends. */
function createFleet() {
  const tally = createTally(capacity)
  const connections: Connection[] = []
  let dialect: Dialect | undefined
  let closedConnections = 0
  let order: BurstOrder | undefined
  let cpuAtBegin = process.cpuUsage()
  let bytesReceived = 0
  const vigil = createVigil(() => bytesReceived)
  const requireDialect = () => {
    if (dialect === undefined) throw new Error('The fleet was not set up')
    return dialect
  }
  const sender = createSender(requireDialect, connections)

  async function connect({ count, concurrency = 64 }: ConnectOrder) {
    const { endpoint, onUpgraded, onFrame } = requireDialect()
    const startedMs = nowMs()
    const target = connections.length + count
    let next = connections.length
    let turnedAway = 0
    const handlers = {
      onUpgraded,
      onFrame,
      onBytes: (count: number) => {
        bytesReceived += count
        tally.addBytes(count)
      },
      onClose: () => {
        closedConnections++
      },
    }
    const lane = async () => {
      while (next < target) {
        const index = next++
        connections[index] = await openPersistently(index, endpoint, handlers, () => turnedAway++)
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane))
    return { connected: connections.length, turnedAway, tookMs: nowMs() - startedMs }
  }

  function begin(next: BurstOrder): null {
    order = next
    closedConnections = 0
    tally.begin(next)
    requireDialect().acks?.begin()
    if (next.send) sender.start(next)
    cpuAtBegin = process.cpuUsage()
    if (next.awake) vigil.begin()
    return null
  }

  async function finish({ deadlineMs }: FinishOrder): Promise<BurstReport> {
    if (order === undefined) throw new Error('No burst was begun')
    const { acks } = requireDialect()
    await tally.settled(() => connections.length, deadlineMs)
    while (order.send && (acks?.pending() ?? 0) > 0 && nowMs() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    sender.stop()
    vigil.end()
    const cpu = process.cpuUsage(cpuAtBegin)
    const cpuMs = (cpu.user + cpu.system) / 1_000
    return {
      ...tally.report(connections.length),
      acks: order.send ? (acks?.report(sender.sent()) ?? null) : null,
      worstSendDelayMs: sender.worstDelayMs(),
      cpuMs,
      busyMs: cpuMs - (order.awake ? vigil.idleMs() : 0),
      wallMs: nowMs() - order.startAtMs,
      closedConnections,
    }
  }

  /** Closes all but the first `count` connections, without leaving ports in TIME_WAIT. */
  async function keep({ count }: { count: number }) {
    const leaving = connections.splice(count)
    await Promise.all(
      leaving.map(
        ({ socket, closed }) =>
          new Promise<void>((resolve) => {
            if (closed) return resolve()
            socket.once('close', () => resolve())
            socket.resetAndDestroy()
          }),
      ),
    )
    return { connected: connections.length }
  }

  function pause({ connection, paused }: { connection: number; paused: boolean }): null {
    tally.ignore(connection, paused)
    if (paused) connections[connection]!.socket.pause()
    else connections[connection]!.socket.resume()
    return null
  }

  return {
    setup(setting: FleetCalls['setup']['order']): null {
      dialect = createDialect(setting.dialect, { ...setting, tally })
      return null
    },
    connect,
    begin,
    finish,
    keep,
    pause,
    say({ text }: { text: string }): null {
      connections[0]!.socket.write(maskedFrame(text))
      return null
    },
    state: () => {
      const open = connections.filter(({ closed }) => !closed).length
      return { open, closed: connections.length - open }
    },
  }
}

serveCalls<FleetCalls>(createFleet())
