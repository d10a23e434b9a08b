import { events } from '../../../contract/events.ts'
import { readMemory } from '../fuzz/memory.ts'
import { startChatters } from '../measure/chatters.ts'
import type { Judge } from '../measure/judge.ts'
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

interface JudgeOptions {
  origin: Origin
  seconds: number
  only: string | undefined
}

/** Every attack, from one address or from one /48, each on a server that has seen no other. */
export async function judgeAttacks(judge: Judge, { origin, seconds, only }: JudgeOptions): Promise<void> {
  for (const name of Object.keys(attacks)) {
    if (only === undefined || name.includes(only)) await judgeAttack(judge, name, origin, seconds)
  }
}

async function judgeAttack(judge: Judge, name: string, origin: Origin, seconds: number): Promise<void> {
  const server = await startMeasuredServer()
  try {
    const visitors = await registerVisitors(server)
    await fillLog(server)
    const quiet = await startChatters(server, 10)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const { ackP99Ms } = await quiet.stop()
    const restingBytes = readMemory(server.pid)
    const aim = { port: Number(new URL(server.url).port), origin, token: visitors[0]?.token ?? '' }
    const { chat, logins, peakBytes, loopP99Ms } = await runAttack(server, name, { aim, seconds, visitors })
    const what = `${name} (one ${origin})`
    judge.atMost(`${what}: others' ack p99`, chat.ackP99Ms, maxAckP99Ms, 'ms')
    judge.atMost(`${what}: memory`, peakBytes / restingBytes, maxMemoryRatio, 'times what it is at rest')
    const missing = logins.asked - logins.answered
    judge.atMost(`${what}: logins not answered of ${logins.asked}`, missing, maxLoginsMissing, '')
    judge.atMost(`${what}: deliveries missing`, chat.missing + chat.unacknowledged, 0, '')
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

/** Something to ask for: a few megabytes of messages, within everybody's limits. */
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
