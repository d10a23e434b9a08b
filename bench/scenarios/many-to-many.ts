import { openRoom } from '../harness/room.ts'
import { peerIds } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const clients = 300

/** Everybody speaks. */
export const manyToMany: Scenario = {
  name: 'many-to-many',
  title: 'Many to many, 300 clients that all send once a second',
  able: peerIds,
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
