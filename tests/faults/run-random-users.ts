import type { ChatMessage } from '../../contract/messages.ts'
import { createRoomConnection } from '../../web/connection/room-connection.ts'
import { createScriptedPage, fastTiming } from '../web/scripted-page.ts'
import { createRandomUser, type RandomUser } from './random-user.ts'
import { createRandom } from './random.ts'
import { createServerSetup } from './server-setup.ts'
import { createTcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

const maxConcurrentUsers = 40
/** Before, during and after a restart of the server. */
const steps = { before: 25, during: 10, after: 15 }

export interface RandomUsersOptions {
  seed: number
  lives: number
  say?: (line: string) => void
}

const keyOf = ({ message, createdTime }: ChatMessage) => JSON.stringify([message, createdTime])

/** What a life may complain of: each press arrived once and in order, or it is in the user's hands. */
function complaintsOf({ number, presses, pressedNow }: RandomUser, room: readonly ChatMessage[]): string[] {
  const complaints: string[] = []
  const counts = new Map<string, number>()
  for (const message of room) counts.set(keyOf(message), (counts.get(keyOf(message)) ?? 0) + 1)
  const inHand = new Set(pressedNow().map(({ id }) => id))
  const inTurn: string[] = []
  for (const [id, { payload, wasInHand, released }] of presses) {
    const count = counts.get(keyOf(payload)) ?? 0
    const told = `life ${number}: ${keyOf(payload)}`
    if (count > 1) complaints.push(`${told} arrived ${count} times`)
    if (count === 0 && !inHand.has(id) && !released) complaints.push(`${told} was lost`)
    if (!wasInHand && !released) inTurn.push(keyOf(payload))
  }
  const arrived = room.map(keyOf).filter((key) => inTurn.includes(key))
  if (arrived.join() !== inTurn.join())
    complaints.push(`life ${number}: out of order\n${arrived.join()}\n${inTurn.join()}`)
  return complaints
}

/** Random lives of typing, editing, pressing, cutting, restarting, reloading and logging in, against a real server. */
export async function runRandomUsers({ seed, lives: wanted, say = () => undefined }: RandomUsersOptions) {
  const stage = await createServerSetup()
  const { server, port } = stage
  const url = `http://127.0.0.1:${port}`
  const tally = {
    lives: 0,
    restarts: 0,
    arrived: 0,
    inHand: 0,
    presses: 0,
    cuts: 0,
    reloads: 0,
    logins: 0,
    takenBack: 0,
    refused: 0,
  }
  const complaints: string[] = []
  await server.start()
  const registration = { name: 'account', email: 'account@example.org', password: 'secret' }
  const answer = await fetch(`${url}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(registration),
  })
  const account = (await answer.json()) as { name: string; token: string }
  const witness = createRoomConnection({ url, page: createScriptedPage().page, timing: fastTiming })
  witness.start()
  await waitFor('the witness', () => witness.status.get().kind === 'live')

  const seen = () => {
    const { entries, length } = witness.messages.get()
    return entries.slice(0, length).flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
  }

  async function restart(isGentle: boolean) {
    if (isGentle) await server.drain()
    else await server.kill()
    await server.start()
    tally.restarts++
  }

  async function runBatch(batch: number, size: number) {
    const random = createRandom(`${seed}-${batch}`)
    const lives: RandomUser[] = []
    for (let index = 0; index < size; index++) {
      const number = batch * maxConcurrentUsers + index
      const proxy = await createTcpProxy(port)
      lives.push(createRandomUser({ number, proxy, account, random: createRandom(`${seed}-life-${number}`) }))
    }
    const all = (what: (life: RandomUser) => Promise<void>) => Promise.all(lives.map(what))
    await all((life) => life.connected())
    await all((life) => life.live(steps.before))
    await Promise.all([restart(random.chance(0.3)), all((life) => life.live(steps.during))])
    await all((life) => life.connected())
    await all((life) => life.live(steps.after))
    await all((life) => life.settle())
    const ending = `end of batch ${batch}`
    witness.actions.setDraft(ending)
    witness.actions.send()
    const isOver = () => seen().at(-1)?.message === ending
    await waitFor('the witness to have seen everything', isOver, { timeoutMs: 120_000 })
    const room = seen()
    for (const life of lives) {
      complaints.push(...complaintsOf(life, room))
      for (const [name, count] of Object.entries(life.tally)) tally[name as keyof typeof life.tally] += count
      tally.inHand += life.pressedNow().length
    }
    tally.lives += size
    tally.arrived = room.length
    await all((life) => life.end())
  }

  try {
    for (let batch = 0; tally.lives < wanted && complaints.length === 0; batch++) {
      await runBatch(batch, Math.min(maxConcurrentUsers, wanted - tally.lives))
      say(`${tally.lives} lives, ${tally.presses} presses, ${complaints.length} complaints`)
    }
  } finally {
    witness.stop()
    await stage.close()
    await stage.remove()
  }
  return { tally, complaints }
}
