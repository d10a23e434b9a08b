import { setTimeout as wait } from 'node:timers/promises'
import { pingIntervalMs } from '../../contract/limits.ts'
import { type BurstResult, openRoom, type Room } from '../harness/room.ts'
import { type PeerId, peerIds } from '../peers/peer.ts'
import { median } from '../report/statistics.ts'
import { fillRoom } from './fill-room.ts'
import type { Scenario } from './scenario.ts'

const fanoutSizes = [10_000, 3_000, 1_000, 300, 100]
/** Enough to see the others' growth; every size is asked of ours. */
const fewerSizes = [10_000, 3_000, 1_000, 100]
const quickSizes = [3_000, 1_000, 100]
/** Slow enough that even 10,000 clients are within everyone's reach. */
const fanoutRate = 5
/** Long enough that a collection or a round of heartbeats is a part of it, as of any other time. */
const burstSeconds = 5
/** A whole round of everybody's heartbeats. */
const idleMs = pingIntervalMs + 2_000
// Ten thousand connections take long to make; the others are measured when they are asked for.
const compared: PeerId[] = ['app', 'socketio', 'bun']

/** The median of short looks: a round of heartbeats or a collection falls into one of them. */
async function idleCpuShare({ server }: Room): Promise<number> {
  const shares: number[] = []
  for (let look = 0; look < 5; look++) {
    const before = server.cpuMs()
    await wait(200)
    shares.push((server.cpuMs() - before) / 200)
  }
  return median(shares)
}

async function idleShareOf({ server }: Room): Promise<number> {
  const before = server.cpuMs()
  await wait(idleMs)
  return (server.cpuMs() - before) / idleMs
}

/** At 5 msg/s a small room costs less than an idle server does; left in, that would make growth look better than it is. */
function withoutIdle(point: BurstResult, idleShare: number): BurstResult {
  const net = point.cpuMs - idleShare * point.wallMs
  // Where idling is most of it, the difference is noise, and a slope through it would be too.
  const cpuMs = net > point.cpuMs / 2 ? net : Number.NaN
  return {
    ...point,
    cpuMs,
    cpuUsPerDelivery: (cpuMs * 1_000) / point.delivered,
    cpuMsPerBroadcast: cpuMs / point.messages,
  }
}

/**
 * The largest room first, so that memory per idle connection is seen before anything was said in it; then smaller and
 * smaller rooms.
 */
export const fanout: Scenario = {
  name: 'fanout',
  title: 'Fan-out, 100 to 10,000 clients',
  able: peerIds,
  peers: [...compared, 'socketio-best'],
  quickPeers: compared,
  expectedSeconds: (peer, quick) => (quick ? 32 : peer === 'app' ? 49 : 43),
  async measure(peer, { quick, note }) {
    const sizes = quick ? quickSizes : peer.id === 'app' ? fanoutSizes : fewerSizes
    const [largest = 0] = sizes
    const room = await openRoom(peer, 0)
    try {
      const filled = await fillRoom(room, largest, note)
      note(`${largest} idle`)
      const idleShare = await idleShareOf(room)
      await room.burst({ rate: fanoutRate, seconds: 1 })
      const points: BurstResult[] = []
      for (const size of sizes) {
        note(`${size} clients`)
        await room.resize(size)
        await wait(300)
        const shareNow = await idleCpuShare(room)
        points.push(withoutIdle(await room.burst({ rate: fanoutRate, seconds: burstSeconds }), shareNow))
      }
      return { scenario: 'fanout', points, wantedConnections: largest, ...filled, idleShare }
    } finally {
      await room.close()
    }
  },
}
