import { setTimeout as wait } from 'node:timers/promises'
import { type BurstResult, openRoom, type Room } from '../harness/room.ts'
import { type Peer, type PeerId, peerIds } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const rateClients = 1_000
export const p99LimitMs = 100
export const rungs = [5, 30, 110, 300, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 16_000, 20_000]
const quickRungs = [30, 110, 300, 1_000, 4_000, 6_000, 8_000, 12_000]
/** A burst of fewer says little about what one costs. */
const minMessages = 72
/** These are compared at every rate, so their limit is looked for more closely. */
const comparedClosely: PeerId[] = ['app', 'socketio', 'bun']
/** A rate at which rooms live and servers are nearly idle: it takes long, and says nothing of the others that 30 does not. */
const lowestRate = 5
const comparedAtRest: PeerId[] = [...comparedClosely, 'null']

export function isSustained({ complete, p99Ms }: BurstResult): boolean {
  return complete && p99Ms <= p99LimitMs
}

/** Climbs until a rate is not sustained, then halves the gap a few times. */
async function climb(peer: Peer, rates: number[], halvings: number, seconds: number, note: (text: string) => void) {
  const points: BurstResult[] = []
  let room: Room | undefined
  const measure = async (rate: number): Promise<boolean> => {
    room ??= await openWarm(peer)
    note(`${rate} msg/s`)
    const point = await room.burst({ rate, seconds: Math.max(seconds, minMessages / rate), drainMs: 4_000 })
    points.push(point)
    if (!point.complete || point.closedConnections > 0) {
      // What is still under way would be counted against the next rate.
      await room.close()
      room = undefined
    } else await wait(150)
    return isSustained(point)
  }
  try {
    let good = 0
    let bad: number | undefined
    for (const rate of rates) {
      if (await measure(rate)) good = rate
      else {
        bad = rate
        break
      }
    }
    for (let halving = 0; halving < halvings && bad !== undefined && good > 0; halving++) {
      const middle = Math.round(Math.sqrt(good * bad))
      if (await measure(middle)) good = middle
      else bad = middle
    }
  } finally {
    await room?.close()
  }
  return points
}

async function openWarm(peer: Peer): Promise<Room> {
  const room = await openRoom(peer, rateClients)
  await room.warmUp()
  return room
}

export const rates: Scenario = {
  name: 'rates',
  title: `Rates, ${rateClients.toLocaleString('en')} clients`,
  able: peerIds,
  peers: peerIds,
  quickPeers: ['app', 'socketio', 'bun'],
  expectedSeconds: (peer, quick) =>
    (comparedClosely.includes(peer) ? 22 : 11) * (quick ? 0.7 : 1) + (!quick && comparedAtRest.includes(peer) ? 15 : 0),
  async measure(peer, { quick, note }) {
    const halvings = comparedClosely.includes(peer.id) ? (quick ? 1 : 2) : 0
    const rates = quick ? quickRungs : rungs.filter((rate) => rate > lowestRate)
    const points = await climb(peer, rates, halvings, 1.2, note)
    // In a room of its own: where its 14 s went before, bursts at 4,000 a second had a p99 half as long again.
    if (!quick && comparedAtRest.includes(peer.id)) points.unshift(...(await climb(peer, [lowestRate], 0, 1.2, note)))
    const sustained = Math.max(0, ...points.filter(isSustained).map((point) => point.rate * point.clients))
    return { scenario: 'rates', points, sustained }
  },
}
