import { pingIntervalMs } from '../../contract/limits.ts'
import { maxOpenFiles } from '../../server/transport/http/protection/tcp-connections.ts'
import { openRoom } from '../harness/room.ts'
import { fillRoom } from './fill-room.ts'
import type { Scenario } from './scenario.ts'

const targetConnections = 20_000
/**
 * Number of file descriptors reserved for the server itself. If the limit of open files is lower than the target plus
 * this number, the scenario opens fewer connections.
 */
const reservedDescriptors = 200
/** Duration of the measurement: two ping intervals. */
const seconds = (2 * pingIntervalMs) / 1_000

/** Measures a room with many idle connections and one message a second. */
export const manyConnections: Scenario = {
  name: 'many-connections',
  title: 'Many connections: 20,000, one message a second',
  supportedPeers: ['app', 'socketio', 'bun'],
  peers: ['app'],
  quickPeers: [],
  maxRuns: 2,
  expectedSeconds: () => 60,
  async measure(peer, { note }) {
    const connections = Math.min(targetConnections, (maxOpenFiles() ?? Infinity) - reservedDescriptors)
    const room = await openRoom(peer, 0)
    try {
      const filled = await fillRoom(room, connections, note)
      note('1 msg/s')
      const point = await room.burst({ rate: 1, seconds })
      return { scenario: 'many-connections', requestedConnections: targetConnections, ...filled, point }
    } finally {
      await room.close()
    }
  },
}
