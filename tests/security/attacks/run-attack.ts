import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { readMemory } from '../fuzz/memory.ts'
import { startBackgroundChat } from '../measure/background-chat.ts'
import type { MeasuredServer } from '../measure/measured-server.ts'
import type { TargetOptions } from './target.ts'

const loginEveryMs = 500

export interface Visitor {
  name: string
  password: string
  token: string
}

interface AttackOptions {
  targetOptions: TargetOptions
  seconds: number
  visitors: readonly Visitor[]
}

/** Runs one attack at full speed while ten clients chat and others log in, each from its own address. */
export async function runAttack(
  server: MeasuredServer,
  name: string,
  { targetOptions, seconds, visitors }: AttackOptions,
) {
  const backgroundChat = await startBackgroundChat(server, 10)
  await server.resetLoopDelay()
  let peakBytes = 0
  const watching = setInterval(() => (peakBytes = Math.max(peakBytes, readMemory(server.pid))), 20)
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), {
    workerData: { name, targetOptions },
  })
  const logins: Promise<boolean>[] = []
  const endsAt = performance.now() + seconds * 1_000
  for (let i = 0; performance.now() < endsAt; i++) {
    const visitor = visitors[i % visitors.length]
    if (visitor !== undefined) logins.push(logIn(server, visitor, `100.64.${i % 256}.1`))
    await pause(loginEveryMs)
  }
  await attacker.terminate()
  clearInterval(watching)
  const answered = (await Promise.all(logins)).filter(Boolean).length
  const loopP99Ms = await server.loopDelayP99Ms()
  return { chat: await backgroundChat.stop(), logins: { asked: logins.length, answered }, peakBytes, loopP99Ms }
}

async function logIn(server: MeasuredServer, visitor: Visitor, address: string): Promise<boolean> {
  try {
    const answer = await server.post('/login', { name: visitor.name, password: visitor.password }, address)
    return ((await answer.json()) as { stat?: string }).stat === 'Success'
  } catch {
    return false
  }
}
