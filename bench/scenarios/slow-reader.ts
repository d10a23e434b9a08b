import { setTimeout as wait } from 'node:timers/promises'
import { openRoom } from '../harness/room.ts'
import type { Scenario } from './scenario.ts'

// Long texts, so that the kernel's buffers are full early and the server has to decide what to do.
const plan = { rate: 250, textCharacters: 3_900, drainMs: 5_000 }
const clients = 100
const slowSeconds = 8

/** One client stops reading: what does it cost the others, and the server? */
export const slowReader: Scenario = {
  name: 'slow-reader',
  title: 'One of 100 clients stops reading',
  able: ['app', 'socketio', 'socketio-best', 'bun', 'bun-best'],
  peers: ['app', 'socketio'],
  quickPeers: [],
  expectedSeconds: () => 14,
  async measure(peer, { note }) {
    const room = await openRoom(peer, clients)
    const [, receiving] = room.fleets
    if (receiving === undefined) throw new Error('The room has no receivers')
    try {
      await room.warmUp()
      const before = await room.burst({ ...plan, seconds: 2 })
      await receiving.call('pause', { connection: 0, paused: true })
      note('one reader paused')
      const bytesBefore = await room.server.settledBytes()
      const during = await room.burst({ ...plan, seconds: slowSeconds })
      const bytesAfter = await room.server.settledBytes()
      // A paused socket learns that it was closed only when it reads on.
      await receiving.call('pause', { connection: 0, paused: false })
      await wait(1_500)
      const { closed } = await receiving.call('state', null)
      return { scenario: 'slow-reader', before, during, grownBytes: bytesAfter - bytesBefore, disconnected: closed > 0 }
    } finally {
      await room.close()
    }
  },
}
