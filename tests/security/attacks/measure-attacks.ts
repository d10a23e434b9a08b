import { events } from '../../../contract/events.ts'
import { readMemory } from '../fuzz/memory.ts'
import { startBackgroundChat } from '../measure/background-chat.ts'
import type { LimitReport } from '../measure/limit-report.ts'
import { type MeasuredServer, startMeasuredServer } from '../measure/measured-server.ts'
import { attacks } from './attacks.ts'
import { runAttack, type Visitor } from './run-attack.ts'
import type { Origin } from './target.ts'

const maxAckP99Ms = 100
const maxMemoryRatio = 2
const maxLoginsMissing = 0
const visitorCount = 10
const fillers = 40
const messagesPerFiller = 20

interface MeasureOptions {
  origin: Origin
  seconds: number
  only: string | undefined
}

/** Runs every attack from one address or from one /48, each on a new server. */
export async function measureAttacks(report: LimitReport, { origin, seconds, only }: MeasureOptions): Promise<void> {
  for (const name of Object.keys(attacks)) {
    if (only === undefined || name.includes(only)) await measureAttack(report, name, origin, seconds)
  }
}

async function measureAttack(report: LimitReport, name: string, origin: Origin, seconds: number): Promise<void> {
  const server = await startMeasuredServer()
  try {
    const visitors = await registerVisitors(server)
    await fillLog(server)
    const quiet = await startBackgroundChat(server, 10)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const { ackP99Ms } = await quiet.stop()
    const restingBytes = readMemory(server.pid)
    const targetOptions = { port: Number(new URL(server.url).port), origin, token: visitors[0]?.token ?? '' }
    const { chat, logins, peakBytes, loopP99Ms } = await runAttack(server, name, { targetOptions, seconds, visitors })
    const what = `${name} (one ${origin})`
    report.atMost(`${what}: others' ack p99`, chat.ackP99Ms, maxAckP99Ms, 'ms')
    report.atMost(`${what}: memory`, peakBytes / restingBytes, maxMemoryRatio, 'times what it is at rest')
    const missing = logins.asked - logins.answered
    report.atMost(`${what}: logins not answered of ${logins.asked}`, missing, maxLoginsMissing, '')
    report.atMost(`${what}: deliveries missing`, chat.missing + chat.unacknowledged, 0, '')
    console.log(
      `     event loop p99 ${loopP99Ms.toFixed(1)} ms, peak ${Math.round(peakBytes / 1e6)} MB; ` +
        `at rest ${Math.round(restingBytes / 1e6)} MB, acks p99 ${ackP99Ms.toFixed(1)} ms`,
    )
  } finally {
    await server.close()
  }
}

async function registerVisitors(server: MeasuredServer): Promise<Visitor[]> {
  const visitors: Visitor[] = []
  for (let i = 0; i < visitorCount; i++) {
    const account = { name: `account ${i}`, email: `a${i}@example.org`, password: 'correct horse' }
    const answer = await server.post('/register', account)
    visitors.push({ ...account, ...((await answer.json()) as { token: string }) })
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
