import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probes } from '../../contract/routes.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import { findFreePort } from './free-port.ts'
import { startNginx } from './nginx-server.ts'
import { startPostgres } from './postgres-server.ts'
import { startRedis } from './redis-server.ts'
import { serverEntry } from './server-entry.ts'
import { createServiceProcess } from './service-process.ts'

interface ClusterOptions {
  nodes: number
  /** Path of the server that each node runs. */
  entry?: string
  env?: NodeJS.ProcessEnv
  /** Port of nginx; a free port by default. */
  port?: number
  onOutput?: (node: number, text: string) => void
}

/** Starts PostgreSQL, Redis, nodes and nginx with temporary folders. Chooses free ports, except for a given `port`. */
export async function startCluster({ nodes: count, entry = serverEntry, env = {}, port, onOutput }: ClusterOptions) {
  const opened: { close: () => Promise<void> }[] = []
  /** Closes all parts in reverse order of the start, so that each part outlives the parts that depend on it. */
  async function close(): Promise<void> {
    for (const part of opened.toReversed()) await part.close()
  }
  async function track<Part extends { close: () => Promise<void> }>(part: Promise<Part>): Promise<Part> {
    const open = await part
    opened.push(open)
    return open
  }

  try {
    const postgres = await track(startPostgres())
    const redis = await track(startRedis())
    const nodeEnv = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...env }
    const adminSockets = mkdtempSync(join(tmpdir(), 'chat-room-admin-'))
    opened.push({ close: async () => rmSync(adminSockets, { recursive: true, force: true }) })
    const adminSocketOf = (index: number) => join(adminSockets, `${index + 1}.sock`)
    const starts = Array.from({ length: count }, (_, index) =>
      track(startNode(entry, { ADMIN_SOCKET: adminSocketOf(index), ...nodeEnv }, (text) => onOutput?.(index, text))),
    )
    // Wait for all starts, even when one fails, because a node that is still starting cannot be closed.
    await Promise.allSettled(starts)
    const nodes = await Promise.all(starts)
    const nginx = await track(
      startNginx(
        nodes.map((node) => node.port),
        port,
      ),
    )
    return {
      url: `http://localhost:${nginx.port}`,
      adminSocket: adminSocketOf(0),
      postgres,
      redis,
      nodes,
      nginx,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startNode(entry: string, env: NodeJS.ProcessEnv, onOutput: (text: string) => void) {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const service = createServiceProcess({
    command: [process.execPath, ...serverFlags, entry],
    ready: () =>
      fetch(url + probes.live).then(
        ({ ok }) => ok,
        () => false,
      ),
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      TRUST_PROXY: '127.0.0.1',
      PUBLIC_ORIGINS: process.env['PUBLIC_ORIGINS'] ?? 'http://localhost',
      NODE_ENV: 'production',
      ...env,
    },
    onOutput,
  })
  await service.start()
  return { ...service, port, url, close: () => service.kill() }
}
