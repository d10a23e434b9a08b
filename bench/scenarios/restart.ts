import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nowMs } from '../driver/clock.ts'
import type { ReturningCalls } from '../driver/returning-protocol.ts'
import { startDriver } from '../harness/driver-process.ts'
import { startServer } from '../harness/server-process.ts'
import type { Peer } from '../peers/peer.ts'
import type { RestartResult, Scenario } from './scenario.ts'

const clients = 1_000

async function restartOnce(peer: Peer, way: RestartResult['way']): Promise<RestartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-restart-'))
  const driver = startDriver<ReturningCalls>('returning.ts')
  let server = await startServer(peer, { folder })
  try {
    const { port } = server
    const kind = peer.id === 'app' ? 'page' : 'stock'
    const { connected } = await driver.call('connect', { port, clients, kind })
    if (connected < clients) throw new Error(`Only ${connected} of ${clients} clients could connect`)
    await driver.call('watch', null)
    const signalledMs = nowMs()
    await server.stop(way === 'drain' ? 'SIGTERM' : 'SIGKILL')
    const stoppedMs = nowMs()
    server = await startServer(peer, { folder, port })
    const downMs = nowMs() - stoppedMs
    const { backAtMs } = await driver.call('returned', { withinMs: 30_000 })
    await driver.call('leave', null)
    const back = backAtMs.filter((atMs) => atMs !== Infinity).toSorted((a, b) => a - b)
    const enough = back[Math.ceil(clients * 0.95) - 1]
    return {
      way,
      clients,
      returned: back.length,
      back95Ms: enough === undefined ? Number.NaN : enough - signalledMs,
      downMs,
    }
  } finally {
    await driver.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The server is restarted under 1,000 clients that come back by themselves. */
export const restart: Scenario = {
  name: 'restart',
  title: 'Restart under 1,000 clients',
  able: ['app', 'socketio'],
  peers: ['app', 'socketio'],
  quickPeers: [],
  expectedSeconds: (peer) => (peer === 'app' ? 22 : 10),
  async measure(peer, { note }) {
    const ways: RestartResult[] = []
    // Stock Socket.IO knows no drain: asked to stop, it is gone at once.
    for (const way of peer.id === 'app' ? (['drain', 'crash'] as const) : (['crash'] as const)) {
      note(way)
      ways.push(await restartOnce(peer, way))
    }
    return { scenario: 'restart', ways }
  },
}
