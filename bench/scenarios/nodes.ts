import { spawnSync } from 'node:child_process'
import { loadCore } from '../../scripts/pinning.ts'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { startPostgres } from '../../tests/support/postgres-server.ts'
import { startRedis } from '../../tests/support/redis-server.ts'
import { type BurstResult, openRoom } from '../harness/room.ts'
import { type StartOptions, startServer } from '../harness/server-process.ts'
import { launchApp } from '../peers/app-peer.ts'
import { type Peer, unavailable } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const clients = 1_000
const rate = 300
const seconds = 3

async function burstIn(peer: Peer, options: StartOptions & { sendersPort?: number } = {}): Promise<BurstResult> {
  const room = await openRoom(peer, clients, options)
  try {
    await room.warmUp()
    return await room.burst({ rate, seconds })
  } finally {
    await room.close()
  }
}

/** What a node costs that shares its log with others, beside a process that has one for itself. */
export const nodes: Scenario = {
  name: 'nodes',
  title: 'One of several nodes, 300 msg/s to 1,000 clients',
  able: ['app'],
  peers: ['app'],
  quickPeers: [],
  expectedSeconds: () => 36,
  async measure(peer, { note }) {
    if (!isInstalled('redis-server') || postgresProgram('postgres') === null)
      throw unavailable('redis-server or postgresql is not installed')
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    // It would have a machine of its own; here the load has room for it.
    spawnSync('taskset', ['-a', '-c', '-p', String(loadCore), String(redis.pid())], { stdio: 'ignore' })
    const settings = { REDIS_URL: redis.url, DATABASE_URL: postgres.url }
    const launchOn = (port: number, folder: string) => launchApp(port, folder, settings)
    try {
      note('alone')
      const alone = await burstIn(peer)
      note('as a node')
      const node = await burstIn(peer, { launchOn })
      note('across nodes')
      const other = await startServer(peer, { launchOn, core: loadCore })
      try {
        return {
          scenario: 'nodes',
          alone,
          node,
          across: await burstIn(peer, { launchOn, sendersPort: other.port }),
        }
      } finally {
        await other.stop()
      }
    } finally {
      await Promise.all([redis.close(), postgres.close()])
    }
  },
}
