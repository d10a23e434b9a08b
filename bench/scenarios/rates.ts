import { setTimeout as wait } from 'node:timers/promises'
import { type BurstResult, openRoom, type Room } from '../harness/room.ts'
import { type Peer, type PeerId, peerIds } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const rateClients = 1_000
export const p99LimitMs = 100
/**
 * Measured rates in messages per second. The steps are finer between 2,000 and 4,000, where Chat Room and Bun reach their
 * limits on x64.
 */
export const rateSteps = [
  5, 30, 110, 300, 1_000, 2_000, 2_500, 3_000, 3_500, 4_000, 6_000, 8_000, 10_000, 12_000, 16_000, 20_000,
]
const quickRateSteps = [30, 110, 300, 1_000, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000]
/** Minimum number of messages of a burst. A burst with fewer gives an unreliable cost per message. */
const minMessages = 72
/** Peers whose highest sustained rate the scenario refines by bisection. */
const bisectedPeers: PeerId[] = ['app', 'socketio', 'bun']
/**
 * Lowest measured rate, typical of real rooms. A burst at this rate takes long, so only a full run measures it, and
 * only for some peers.
 */
const lowestRate = 5
const lowRatePeers: PeerId[] = [...bisectedPeers, 'null']

export function isSustained({ isComplete, p99Ms }: BurstResult): boolean {
  return isComplete && p99Ms <= p99LimitMs
}

/**
 * Measures increasing rates up to the first that the peer does not sustain, then bisects between that rate and the
 * highest sustained rate.
 */
async function measureRates(
  peer: Peer,
  rates: number[],
  bisections: number,
  seconds: number,
  note: (text: string) => void,
) {
  const points: BurstResult[] = []
  let room: Room | undefined
  const measure = async (rate: number): Promise<boolean> => {
    room ??= await openWarmRoom(peer)
    note(`${rate} msg/s`)
    const point = await room.burst({ rate, seconds: Math.max(seconds, minMessages / rate), drainMs: 4_000 })
    points.push(point)
    if (!point.isComplete || point.closedConnections > 0) {
      // Deliveries still in flight would distort the measurement of the next rate.
      await room.close()
      room = undefined
    } else await wait(150)
    return isSustained(point)
  }
  try {
    let sustainedRate = 0
    let unsustainedRate: number | undefined
    for (const rate of rates) {
      if (await measure(rate)) sustainedRate = rate
      else {
        unsustainedRate = rate
        break
      }
    }
    for (let bisection = 0; bisection < bisections && unsustainedRate !== undefined && sustainedRate > 0; bisection++) {
      const middle = Math.round(Math.sqrt(sustainedRate * unsustainedRate))
      if (await measure(middle)) sustainedRate = middle
      else unsustainedRate = middle
    }
  } finally {
    await room?.close()
  }
  return points
}

async function openWarmRoom(peer: Peer): Promise<Room> {
  const room = await openRoom(peer, rateClients)
  await room.warmUp()
  return room
}

export const rates: Scenario = {
  name: 'rates',
  title: `Rates, ${rateClients.toLocaleString('en')} clients`,
  supportedPeers: peerIds,
  peers: peerIds,
  quickPeers: ['app', 'socketio', 'bun'],
  expectedSeconds: (peer, quick) =>
    (bisectedPeers.includes(peer) ? 28 : 12) * (quick ? 0.7 : 1) + (!quick && lowRatePeers.includes(peer) ? 15 : 0),
  async measure(peer, { quick, note }) {
    const bisections = bisectedPeers.includes(peer.id) ? (quick ? 1 : 2) : 0
    const rates = quick ? quickRateSteps : rateSteps.filter((rate) => rate > lowestRate)
    const points = await measureRates(peer, rates, bisections, 1.2, note)
    // Use a separate room for the lowest rate. After a burst of 14 s at this rate, bursts at 4,000 msg/s in the same room
    // had a p99 that was 50 % higher.
    if (!quick && lowRatePeers.includes(peer.id))
      points.unshift(...(await measureRates(peer, [lowestRate], 0, 1.2, note)))
    const sustained = Math.max(0, ...points.filter(isSustained).map((point) => point.rate * point.clients))
    return { scenario: 'rates', points, sustained }
  },
}
