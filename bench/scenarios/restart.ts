import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nowMs } from '../driver/clock.ts'
import type { ReconnectCalls } from '../driver/reconnecting-clients-protocol.ts'
import { startDriver } from '../harness/driver-process.ts'
import { startServer } from '../harness/server-process.ts'
import type { Peer } from '../peers/peer.ts'
import type { RestartResult, Scenario } from './scenario.ts'

const clients = 1_000

async function restartOnce(peer: Peer, stop: RestartResult['stop']): Promise<RestartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-restart-'))
  const driver = startDriver<ReconnectCalls>('reconnecting-clients.ts')
  let server = await startServer(peer, { folder })
  try {
    const { port } = server
    const kind = peer.id === 'app' ? 'page' : 'stock'
    const { connected } = await driver.call('connect', { port, clients, kind })
    if (connected < clients) throw new Error(`clients not connected: ${clients - connected} of ${clients}`)
    await driver.call('watchReconnects', null)
    const signalledMs = nowMs()
    await server.stop(stop === 'drain' ? 'SIGTERM' : 'SIGKILL')
    const stoppedMs = nowMs()
    server = await startServer(peer, { folder, port })
    const downMs = nowMs() - stoppedMs
    const { reconnectedAtMs } = await driver.call('waitForReconnects', { timeoutMs: 30_000 })
    await driver.call('disconnect', null)
    const reconnectTimes = reconnectedAtMs.filter((atMs) => atMs !== Infinity).toSorted((a, b) => a - b)
    const reconnected95AtMs = reconnectTimes[Math.ceil(clients * 0.95) - 1]
    return {
      stop,
      clients,
      reconnected: reconnectTimes.length,
      reconnected95Ms: reconnected95AtMs === undefined ? Number.NaN : reconnected95AtMs - signalledMs,
      downMs,
    }
  } finally {
    await driver.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Restarts the server while 1,000 clients are connected and measures their reconnects. */
export const restart: Scenario = {
  name: 'restart',
  title: 'Restart with 1,000 clients',
  supportedPeers: ['app', 'socketio'],
  peers: ['app', 'socketio'],
  quickPeers: [],
  expectedSeconds: (peer) => (peer === 'app' ? 22 : 10),
  async measure(peer, { note }) {
    const restarts: RestartResult[] = []
    // Stock Socket.IO has no drain: it exits at once on SIGTERM.
    for (const stop of peer.id === 'app' ? (['drain', 'crash'] as const) : (['crash'] as const)) {
      note(stop)
      restarts.push(await restartOnce(peer, stop))
    }
    return { scenario: 'restart', restarts }
  },
}
