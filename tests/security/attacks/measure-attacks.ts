import { events } from '../../../contract/events.ts'
import { readMemory } from '../fuzz/memory.ts'
import { startBackgroundChat } from '../measure/background-chat.ts'
import type { LimitReport } from '../measure/limit-report.ts'
import { type MeasuredServer, startMeasuredServer } from '../measure/measured-server.ts'
import { attacks, sharedAddressAttacks } from './attacks.ts'
import { runAttack, type Visitor } from './run-attack.ts'
import type { Origin } from './target.ts'

const maxAckP99Ms = 100
const maxMemoryRatio = 2
const visitorCount = 10
const fillers = 40
const messagesPerFiller = 20

interface MeasureOptions {
  origin: Origin
  seconds: number
  only: string | undefined
}

/**
 * Runs the attacks from one address or from one /48, each on a new server. With `only`, runs the attacks whose name
 * contains this text.
 */
export async function measureAttacks(report: LimitReport, { origin, seconds, only }: MeasureOptions): Promise<void> {
  for (const name of Object.keys(attacks)) {
    if (only === undefined || name.includes(only)) await measureAttack(report, name, origin, seconds)
  }
}

async function measureAttack(report: LimitReport, name: string, origin: Origin, seconds: number): Promise<void> {
  const server = await startMeasuredServer({ isPinned: true })
  try {
    const visitors = await registerVisitors(server)
    await fillLog(server)
    const quiet = await startBackgroundChat(server, 10)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const { ackP99Ms: quietP99Ms } = await quiet.stop()
    const restingBytes = readMemory(server.pid)
    const targetOptions = { port: Number(new URL(server.url).port), origin, token: visitors[0]?.token ?? '' }
    const hasSharedAddress = sharedAddressAttacks.has(name) && origin === 'address'
    const attack = { targetOptions, seconds, visitors, hasSharedAddress }
    const { chat, visits, rejectedLogins, rejectedConnections, peakBytes, loop } = await runAttack(server, name, attack)
    report.judge(
      `${name} (one ${origin})`,
      [
        { what: 'ack p50 ms', value: chat.ackP50Ms, max: maxAckP99Ms },
        { what: 'ack p99 ms', value: chat.ackP99Ms, max: maxAckP99Ms },
        { what: `logins rejected of ${visits}`, value: rejectedLogins.length, max: 0 },
        { what: `connections rejected of ${visits}`, value: rejectedConnections.length, max: 0 },
        { what: 'deliveries missing', value: chat.missing + chat.unacknowledged, max: 0 },
        { what: 'times the memory at rest', value: peakBytes / restingBytes, max: maxMemoryRatio },
      ],
      [
        ...new Set([...rejectedLogins, ...rejectedConnections].map((reason) => `rejected with '${reason}'`)),
        `times the ack p99 of no attack ${(chat.ackP99Ms / quietP99Ms).toFixed(1)}`,
        `event loop p99 ms ${loop.p99Ms.toFixed(1)}`,
        `longest turn ${loop.worstTurnMs.toFixed(1)} ms of CPU time (kernel ${loop.worstTurnSystemMs.toFixed(1)}, garbage collection ${loop.worstTurnCollectionMs.toFixed(1)})`,
        `server used ${(loop.cpuShare * 100).toFixed(0)} % of a core`,
      ],
    )
  } finally {
    await server.close()
  }
}

async function registerVisitors(server: MeasuredServer): Promise<Visitor[]> {
  const visitors: Visitor[] = []
  for (let i = 0; i < visitorCount; i++) {
    const account = { name: `account ${i}`, email: `a${i}@example.org`, password: 'correct horse' }
    const response = await server.post('/register', account)
    visitors.push({ ...account, ...((await response.json()) as { token: string }) })
  }
  return visitors
}

/** Fills the log with a few megabytes of messages, within the limits of each address. */
async function fillLog(server: MeasuredServer): Promise<void> {
  await Promise.all(Array.from({ length: fillers }, (_, index) => fillAs(server, `100.65.${index}.1`)))
}

async function fillAs(server: MeasuredServer, address: string): Promise<void> {
  const client = await server.client(address)
  for (let count = 0; count < messagesPerFiller; count++) {
    await client.emitWithAck(events.sendMessage, { username: 'filler', message: 'x'.repeat(4_000), createdTime: count })
  }
  client.close()
}
