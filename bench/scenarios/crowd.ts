import { openRoom } from '../harness/room.ts'
import type { Scenario } from './scenario.ts'

const wanted = 20_000
/** A server keeps some descriptors for itself. */
const descriptorsBesides = 200
/** A message a second, for as long as two rounds of heartbeats. */
const seconds = 20

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
    const connections = Math.min(wanted, mostDescriptors() - descriptorsBesides)
    const room = await openRoom(peer, 0)
    try {
      const emptyBytes = await room.server.settledBytes()
      note(`${connections} connections`)
      await room.resize(connections)
      const heldBytes = await room.server.settledBytes()
      const held = await Promise.all(room.fleets.map((fleet) => fleet.call('state', null)))
      note('a message a second')
      const point = await room.burst({ rate: 1, seconds })
      return {
        scenario: 'crowd',
        wantedConnections: wanted,
        heldConnections: held.reduce((sum, { open }) => sum + open, 0),
        bytesPerConnection: (heldBytes - emptyBytes) / connections,
        point,
      }
    } finally {
      await room.close()
    }
  },
}

/** What the system gives a process; where it is less than the crowd, the results say how many were held. */
function mostDescriptors(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Infinity
}
