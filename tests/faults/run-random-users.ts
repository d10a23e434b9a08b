import type { ChatMessage } from '../../contract/messages.ts'
import { createRoomConnection } from '../../web/connection/room-connection.ts'
import { createScriptedPage, fastTiming } from '../web/scripted-page.ts'
import { createRandomUser, type RandomUser } from './random-user.ts'
import { createRandom } from './random.ts'
import { createServerSetup } from './server-setup.ts'
import { createTcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

const maxConcurrentUsers = 40
/** Number of actions of each user before, during and after a restart of the server. */
const steps = { before: 25, during: 10, after: 15 }

export interface RandomUsersOptions {
  seed: number
  users: number
  print?: (line: string) => void
}

const keyOf = ({ message, createdTime }: ChatMessage) => JSON.stringify([message, createdTime])

/**
 * Returns the violations of one user. Each message must arrive once and in order, or still be in the outbox, unless the
 * user withdrew it. The order of held messages is not defined.
 */
function findViolations({ number, presses, outbox }: RandomUser, room: readonly ChatMessage[]): string[] {
  const violations: string[] = []
  const counts = new Map<string, number>()
  for (const message of room) counts.set(keyOf(message), (counts.get(keyOf(message)) ?? 0) + 1)
  const inOutbox = new Set(outbox().map(({ id }) => id))
  const expectedOrder: string[] = []
  for (const [id, { payload, wasHeld, isWithdrawn }] of presses) {
    const count = counts.get(keyOf(payload)) ?? 0
    const label = `user ${number}: ${keyOf(payload)}`
    if (count > 1) violations.push(`${label} arrived ${count} times`)
    if (count === 0 && !inOutbox.has(id) && !isWithdrawn) violations.push(`${label} was lost`)
    if (!wasHeld && !isWithdrawn) expectedOrder.push(keyOf(payload))
  }
  const arrived = room.map(keyOf).filter((key) => expectedOrder.includes(key))
  if (arrived.join() !== expectedOrder.join())
    violations.push(`user ${number}: out of order\n${arrived.join()}\n${expectedOrder.join()}`)
  return violations
}

/** Runs users who type, edit, send, disconnect, reload and log in at random, against a real server that restarts. */
export async function runRandomUsers({ seed, users: userCount, print = () => undefined }: RandomUsersOptions) {
  const setup = await createServerSetup()
  const { server, port } = setup
  const url = `http://127.0.0.1:${port}`
  const tally = {
    users: 0,
    restarts: 0,
    arrived: 0,
    inOutbox: 0,
    presses: 0,
    cuts: 0,
    reloads: 0,
    logins: 0,
    takenBack: 0,
    invalid: 0,
  }
  const violations: string[] = []
  await server.start()
  const registration = { name: 'account', email: 'account@example.org', password: 'secret' }
  const response = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(registration),
  })
  const account = (await response.json()) as { name: string; token: string }
  const observer = createRoomConnection({ url, page: createScriptedPage().page, timing: fastTiming })
  observer.start()
  await waitFor('the observer', () => observer.status.get().kind === 'live')

  const receivedMessages = () => {
    const { entries, length } = observer.messages.get()
    return entries.slice(0, length).flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
  }

  async function restart(isGraceful: boolean) {
    if (isGraceful) await server.drain()
    else await server.kill()
    await server.start()
    tally.restarts++
  }

  async function runBatch(batch: number, size: number) {
    const random = createRandom(`${seed}-${batch}`)
    const users: RandomUser[] = []
    for (let index = 0; index < size; index++) {
      const number = batch * maxConcurrentUsers + index
      const proxy = await createTcpProxy(port)
      users.push(createRandomUser({ number, proxy, account, random: createRandom(`${seed}-life-${number}`) }))
    }
    const all = (action: (user: RandomUser) => Promise<void>) => Promise.all(users.map(action))
    await all((user) => user.waitUntilConnected())
    await all((user) => user.perform(steps.before))
    await Promise.all([restart(random.chance(0.3)), all((user) => user.perform(steps.during))])
    await all((user) => user.waitUntilConnected())
    await all((user) => user.perform(steps.after))
    await all((user) => user.settle())
    const lastText = `end of batch ${batch}`
    observer.actions.setDraft(lastText)
    observer.actions.send()
    const isComplete = () => receivedMessages().at(-1)?.message === lastText
    await waitFor('the observer to receive the last message', isComplete, { timeoutMs: 120_000 })
    const room = receivedMessages()
    for (const user of users) {
      violations.push(...findViolations(user, room))
      for (const [name, count] of Object.entries(user.tally)) tally[name as keyof typeof user.tally] += count
      tally.inOutbox += user.outbox().length
    }
    tally.users += size
    tally.arrived = room.length
    await all((user) => user.close())
  }

  try {
    for (let batch = 0; tally.users < userCount && violations.length === 0; batch++) {
      await runBatch(batch, Math.min(maxConcurrentUsers, userCount - tally.users))
      print(`${tally.users} users, ${tally.presses} presses, ${violations.length} violations`)
    }
  } finally {
    observer.stop()
    await setup.close()
    await setup.remove()
  }
  return { tally, violations }
}
