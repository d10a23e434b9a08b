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
  /** Whether other users of the attacker's address log in and connect, too. */
  hasSharedAddress: boolean
}

interface Visits {
  logins: Promise<boolean>[]
  connections: Promise<boolean>[]
}

/** Runs one attack at full speed while ten clients chat and others log in and connect, each from its own address. */
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
  const [loginsRejected, connectionsRejected] = await Promise.all([
    countRejected(visits.logins),
    countRejected(visits.connections),
  ])
  const loop = await server.readLoopLoad()
  const chat = await backgroundChat.stop()
  await attacker.terminate()
  clearInterval(watching)
  return { chat, visits: visits.logins.length, loginsRejected, connectionsRejected, peakBytes, loop }
}

function visit(server: MeasuredServer, visitor: Visitor, address: string, visits: Visits): void {
  visits.logins.push(logIn(server, visitor, address))
  visits.connections.push(connectFrom(server, address))
}

async function countRejected(visits: readonly Promise<boolean>[]): Promise<number> {
  return (await Promise.all(visits)).filter((isAccepted) => !isAccepted).length
}

async function connectFrom(server: MeasuredServer, address: string): Promise<boolean> {
  try {
    const client = await server.client(address)
    client.close()
    return true
  } catch {
    return false
  }
}

async function logIn(server: MeasuredServer, visitor: Visitor, address: string): Promise<boolean> {
  try {
    const answer = await server.post('/login', { name: visitor.name, password: visitor.password }, address)
    return ((await answer.json()) as { stat?: string }).stat === 'Success'
  } catch {
    return false
  }
}
