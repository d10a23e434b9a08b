import { setTimeout as wait } from 'node:timers/promises'
import { startBackgroundChat } from './background-chat.ts'
import type { MeasuredServer } from './measured-server.ts'
import { median } from './statistics.ts'

const timedLogins = 50
const password = 'correct horse'

export async function registerAccounts(server: MeasuredServer, accounts: number): Promise<void> {
  for (let i = 0; i < accounts; i++) {
    const response = await server.post('/register', { name: `account ${i}`, email: `a${i}@example.org`, password })
    if (response.status !== 201) throw new Error(`registration ${i}: ${response.status}`)
  }
}

async function timeOf(login: Promise<Response>): Promise<number> {
  const startedAt = performance.now()
  await (await login).text()
  return performance.now() - startedAt
}

/** Measures the median time of failed logins for existing and for unknown names. */
export async function timeFailedLogins(server: MeasuredServer) {
  const [known, unknown]: [number[], number[]] = [[], []]
  const fail = (name: string) => timeOf(server.post('/login', { name, password: 'wrong' }))
  for (let i = 0; i < timedLogins; i++) {
    // Alternate the order, so that changes in CPU speed affect both kinds of names equally.
    if (i % 2 === 0) known.push(await fail(`account ${i}`))
    unknown.push(await fail(`unknown ${i}`))
    if (i % 2 === 1) known.push(await fail(`account ${i}`))
  }
  const [knownMs, unknownMs] = [median(known), median(unknown)]
  return { knownMs, unknownMs, differencePercent: (Math.abs(knownMs - unknownMs) / Math.min(knownMs, unknownMs)) * 100 }
}

/** Logs an account in. Repeats the login while the server rejects it with 503 to keep chat responsive. */
async function logIn(server: MeasuredServer, name: string): Promise<unknown> {
  let response = await server.post('/login', { name, password })
  while (response.status === 503) {
    await response.body?.cancel()
    await wait(Number(response.headers.get('retry-after') ?? 1) * 1_000)
    response = await server.post('/login', { name, password })
  }
  return response.json()
}

/** Logs all accounts in concurrently while other clients chat. */
export async function runConcurrentLogins(server: MeasuredServer, accounts: number) {
  const backgroundChat = await startBackgroundChat(server, 10)
  await server.resetLoopLoad()
  const startedAt = performance.now()
  const bodies = await Promise.all(Array.from({ length: accounts }, (_, i) => logIn(server, `account ${i}`)))
  const tookMs = performance.now() - startedAt
  const { p99Ms: loopP99Ms } = await server.readLoopLoad()
  const chat = await backgroundChat.stop()
  const succeeded = (bodies as { stat?: string }[]).filter(({ stat }) => stat === 'Success').length
  return { succeeded, tookMs, loopP99Ms, chat }
}
