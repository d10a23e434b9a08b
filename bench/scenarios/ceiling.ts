import { nowMs } from '../driver/clock.ts'
import { startFleet } from '../harness/fleet-process.ts'
import { startServer } from '../harness/server-process.ts'
import type { Scenario } from './scenario.ts'

const clients = 1_000
const framesPerBlock = 100

/** Measures the maximum receive rate of the load generator, which is an upper bound for every peer's result. */
export const ceiling: Scenario = {
  name: 'ceiling',
  title: 'Receive limit of the load generator',
  supportedPeers: ['null'],
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
      const request = { firstId: 0, total, startAtMs: nowMs(), intervalMs: 0, senders: 0, textCharacters: 60 }
      await fleet.call('startBurst', { ...request, isSender: false, shouldBusyWait: false })
      await fleet.call('sendText', { text: `flood ${framesPerBlock} ${rounds}` })
      const report = await fleet.call('finishBurst', { deadlineMs: nowMs() + 30_000 })
      if (report.incorrectConnections > 0) throw new Error('load generator lost frames of the null server')
      return {
        scenario: 'ceiling',
        deliveriesPerSecond: report.delivered / ((report.lastDeliveryMs - request.startAtMs) / 1_000),
        loadGeneratorBusyShare: report.cpuMs / report.wallMs,
      }
    } finally {
      await fleet.stop()
      await server.stop()
    }
  },
}
