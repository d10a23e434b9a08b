import { setTimeout as wait } from 'node:timers/promises'
import { openRoom } from '../harness/room.ts'
import type { Scenario } from './scenario.ts'

// Long texts fill the kernel's socket buffers early, so that the scenario measures the server's own handling.
const plan = { rate: 250, textCharacters: 3_900, drainMs: 5_000 }
const clients = 100
const slowSeconds = 8

/** Measures the effect of one client that stops reading on the other clients and on the server's memory. */
export const slowConsumer: Scenario = {
  name: 'slow-consumer',
  title: 'One of 100 clients stops reading',
  supportedPeers: ['app', 'socketio', 'socketio-best', 'bun', 'bun-best'],
  peers: ['app', 'socketio'],
  quickPeers: [],
  expectedSeconds: () => 14,
  async measure(peer, { note }) {
    const room = await openRoom(peer, clients)
    const [, receiverFleet] = room.fleets
    if (receiverFleet === undefined) throw new Error('room without receivers')
    try {
      await room.warmUp()
      const before = await room.burst({ ...plan, seconds: 2 })
      await receiverFleet.call('pause', { connection: 0, isPaused: true })
      note('one client paused')
      const bytesBefore = await room.server.bytesAfterGc()
      const during = await room.burst({ ...plan, seconds: slowSeconds })
      const bytesAfter = await room.server.bytesAfterGc()
      // A paused socket detects that it was closed only after it resumes reading.
      await receiverFleet.call('pause', { connection: 0, isPaused: false })
      await wait(1_500)
      const { closed } = await receiverFleet.call('state', null)
      return {
        scenario: 'slow-consumer',
        before,
        during,
        memoryGrowthBytes: bytesAfter - bytesBefore,
        isDisconnected: closed > 0,
      }
    } finally {
      await room.close()
    }
  },
}
