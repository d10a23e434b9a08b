import { pingIntervalMs } from '../../contract/limits.ts'
import { maxOpenFiles } from '../../server/transport/http/protection/tcp-connections.ts'
import { openRoom } from '../harness/room.ts'
import { fillRoom } from './fill-room.ts'
import type { Scenario } from './scenario.ts'

const wanted = 20_000
/** A server keeps some descriptors for itself; where they are too few for the crowd, the results say how many were held. */
const descriptorsBesides = 200
/** A message a second, for as long as two rounds of heartbeats. */
const seconds = (2 * pingIntervalMs) / 1_000

/** Far more people than ever speak: they are held, they hear what is said, and they cost little. */
export const crowd: Scenario = {
  name: 'crowd',
  title: 'A crowd, 20,000 connections and a message a second',
  able: ['app', 'socketio', 'bun'],
  peers: ['app'],
  quickPeers: [],
  maxRuns: 2,
  expectedSeconds: () => 60,
  async measure(peer, { note }) {
    const connections = Math.min(wanted, (maxOpenFiles() ?? Infinity) - descriptorsBesides)
    const room = await openRoom(peer, 0)
    try {
      const filled = await fillRoom(room, connections, note)
      note('a message a second')
      const point = await room.burst({ rate: 1, seconds })
      return { scenario: 'crowd', wantedConnections: wanted, ...filled, point }
    } finally {
      await room.close()
    }
  },
}
