import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { readMemory } from '../fuzz/memory.ts'
import { startBackgroundChat } from '../measure/background-chat.ts'
import type { MeasuredServer } from '../measure/measured-server.ts'
import { attackerAddress, type TargetOptions } from './target.ts'

const visitEveryMs = 500

export interface Visitor {
  name: string
  password: string
  token: string
}

interface AttackOptions {
  targetOptions: TargetOptions
  seconds: number
  visitors: readonly Visitor[]
  /** Whether clients also log in and connect from the address of the attacker. */
  hasSharedAddress: boolean
}

/** Reasons why logins and connections were rejected; `null` if accepted. */
interface Visits {
  logins: Promise<string | null>[]
  connections: Promise<string | null>[]
}

/** Runs one attack while ten clients chat, each from its own address, and visitors log in and connect from many addresses. */
export async function runAttack(
  server: MeasuredServer,
  name: string,
  { targetOptions, seconds, visitors, hasSharedAddress }: AttackOptions,
) {
  const backgroundChat = await startBackgroundChat(server, 10)
  await server.resetLoopLoad()
  let peakBytes = 0
  const watching = setInterval(() => (peakBytes = Math.max(peakBytes, readMemory(server.pid))), 20)
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), {
    workerData: { name, targetOptions },
  })
  const visits: Visits = { logins: [], connections: [] }
  const endsAt = performance.now() + seconds * 1_000
  for (let i = 0; performance.now() < endsAt; i++) {
    const visitor = visitors[i % visitors.length]
    if (visitor !== undefined) visit(server, visitor, `100.64.${i % 256}.1`, visits)
    if (visitor !== undefined && hasSharedAddress) visit(server, visitor, attackerAddress, visits)
    await pause(visitEveryMs)
  }
  const rejectedLogins = (await Promise.all(visits.logins)).filter((reason) => reason !== null)
  const rejectedConnections = (await Promise.all(visits.connections)).filter((reason) => reason !== null)
  const loop = await server.readLoopLoad()
  const chat = await backgroundChat.stop()
  await attacker.terminate()
  clearInterval(watching)
  return { chat, visits: visits.logins.length, rejectedLogins, rejectedConnections, peakBytes, loop }
}

function visit(server: MeasuredServer, visitor: Visitor, address: string, visits: Visits): void {
  visits.logins.push(logIn(server, visitor, address))
  visits.connections.push(connectFrom(server, address))
}

async function connectFrom(server: MeasuredServer, address: string): Promise<string | null> {
  try {
    const client = await server.client(address)
    client.close()
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

async function logIn(server: MeasuredServer, visitor: Visitor, address: string): Promise<string | null> {
  try {
    const response = await server.post('/login', { name: visitor.name, password: visitor.password }, address)
    const { stat } = (await response.json()) as { stat?: string }
    return stat === 'Success' ? null : `${response.status} ${stat}`
  } catch (error) {
    return reasonOf(error)
  }
}

/** Returns the message of an error, followed by the message of a failed WebSocket upgrade if there is one. */
function reasonOf(error: unknown): string {
  const { message, description } = error as Error & { description?: { message?: string } }
  return description?.message === undefined ? message : `${message}: ${description.message}`
}
