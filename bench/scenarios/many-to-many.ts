import { openRoom } from '../harness/room.ts'
import { peerIds } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const clients = 300

/** Measures a room in which every client sends. */
export const manyToMany: Scenario = {
  name: 'many-to-many',
  title: 'Many to many: 300 clients, each sends once a second',
  supportedPeers: peerIds,
  peers: ['app', 'socketio', 'bun'],
  quickPeers: ['app'],
  expectedSeconds: () => 5,
  async measure(peer, { quick }) {
    const room = await openRoom(peer, clients, { senders: clients })
    try {
      await room.warmUp()
      const point = await room.burst({ rate: clients, seconds: quick ? 1.5 : 2 })
      return { scenario: 'many-to-many', point, senders: clients }
    } finally {
      await room.close()
    }
  },
}
