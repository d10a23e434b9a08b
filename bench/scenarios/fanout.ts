import { setTimeout as wait } from 'node:timers/promises'
import { pingIntervalMs } from '../../contract/limits.ts'
import { type BurstResult, openRoom, type Room } from '../harness/room.ts'
import { type PeerId, peerIds } from '../peers/peer.ts'
import { median } from '../report/statistics.ts'
import { fillRoom } from './fill-room.ts'
import type { Scenario } from './scenario.ts'

const fanoutSizes = [10_000, 3_000, 1_000, 300, 100]
/** Room sizes for other servers: fewer than for Chat Room, enough to show the growth. */
const peerSizes = [10_000, 3_000, 1_000, 100]
const quickSizes = [3_000, 1_000, 100]
/** Messages per second, low enough that every server sustains 10,000 clients. */
const fanoutRate = 5
/** Duration of a burst, long enough to include garbage collections and pings in their usual proportion. */
const burstSeconds = 5
/** Duration of the idle measurement, which includes one ping to every connection. */
const idleMs = pingIntervalMs + 2_000
// Peers of a quick run without --peers. A full run adds `socketio-best`. Other peers need --peers, because opening 10,000
// connections takes long.
const comparedPeers: PeerId[] = ['app', 'socketio', 'bun']

/** Returns the median idle CPU share of short samples, so that pings or a garbage collection in one sample have no effect. */
async function currentIdleShare({ server }: Room): Promise<number> {
  const shares: number[] = []
  for (let sample = 0; sample < 5; sample++) {
    const before = server.cpuMs()
    await wait(200)
    shares.push((server.cpuMs() - before) / 200)
  }
  return median(shares)
}

async function measureIdleShare({ server }: Room): Promise<number> {
  const before = server.cpuMs()
  await wait(idleMs)
  return (server.cpuMs() - before) / idleMs
}

/**
 * Returns a point without the idle CPU. At 5 msg/s the idle CPU exceeds the cost of a small room and would hide the growth
 * with room size.
 */
function withoutIdle(point: BurstResult, idleShare: number): BurstResult {
  const netCpuMs = point.cpuMs - idleShare * point.wallMs
  // If the idle CPU is at least half of the measured CPU, the difference is noise.
  const cpuMs = netCpuMs > point.cpuMs / 2 ? netCpuMs : Number.NaN
  return {
    ...point,
    cpuMs,
    cpuUsPerDelivery: (cpuMs * 1_000) / point.delivered,
    cpuMsPerBroadcast: cpuMs / point.messages,
  }
}

/** Measures memory and CPU of idle connections before the first message, then bursts at room sizes from large to small. */
export const fanout: Scenario = {
  name: 'fanout',
  title: 'Fan-out, 100 to 10,000 clients',
  supportedPeers: peerIds,
  peers: [...comparedPeers, 'socketio-best'],
  quickPeers: comparedPeers,
  expectedSeconds: (peer, quick) => (quick ? 32 : peer === 'app' ? 49 : 43),
  async measure(peer, { quick, note }) {
    const sizes = quick ? quickSizes : peer.id === 'app' ? fanoutSizes : peerSizes
    const [largest = 0] = sizes
    const room = await openRoom(peer, 0)
    try {
      const filled = await fillRoom(room, largest, note)
      note(`${largest} idle`)
      const idleShare = await measureIdleShare(room)
      await room.burst({ rate: fanoutRate, seconds: 1 })
      const points: BurstResult[] = []
      for (const size of sizes) {
        note(`${size} clients`)
        await room.resize(size)
        await wait(300)
        const currentShare = await currentIdleShare(room)
        points.push(withoutIdle(await room.burst({ rate: fanoutRate, seconds: burstSeconds }), currentShare))
      }
      return { scenario: 'fanout', points, requestedConnections: largest, ...filled, idleShare }
    } finally {
      await room.close()
    }
  },
}
