import { nowMs } from '../driver/clock.ts'
import { startFleet } from '../harness/fleet-process.ts'
import { startServer } from '../harness/server-process.ts'
import type { Scenario } from './scenario.ts'

const clients = 1_000
const framesPerBlock = 100

/** How many deliveries a second the load's own side can take in: no peer can be seen to do more. */
export const ceiling: Scenario = {
  name: 'ceiling',
  title: 'What the load itself can receive',
  able: ['null'],
  peers: ['null'],
  quickPeers: ['null'],
  maxRuns: 3,
  expectedSeconds: () => 7,
  async measure(peer, { quick }) {
    const server = await startServer(peer)
    const fleet = await startFleet({ dialect: peer.dialect, port: server.port, auth: peer.auth })
    try {
      await fleet.call('connect', { count: clients })
      const rounds = quick ? 60 : 150
      const total = rounds * framesPerBlock
      const order = { firstId: 0, total, startAtMs: nowMs(), intervalMs: 0, senders: 0, textCharacters: 60 }
      await fleet.call('begin', { ...order, send: false, awake: false })
      await fleet.call('say', { text: `flood ${framesPerBlock} ${rounds}` })
      const report = await fleet.call('finish', { deadlineMs: nowMs() + 30_000 })
      if (report.wrongConnections > 0) throw new Error('The load did not receive all that the null server wrote')
      return {
        scenario: 'ceiling',
        deliveriesPerSecond: report.delivered / ((report.lastDeliveryMs - order.startAtMs) / 1_000),
        loadBusy: report.cpuMs / report.wallMs,
      }
    } finally {
      await fleet.stop()
      await server.stop()
    }
  },
}
