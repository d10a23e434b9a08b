import { fileURLToPath } from 'node:url'
import { probes } from '../../contract/routes.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import { findFreePort } from './free-port.ts'
import { startNginx } from './nginx-server.ts'
import { startPostgres } from './postgres-server.ts'
import { startRedis } from './redis-server.ts'
import { createServiceProcess } from './service-process.ts'

const serverEntry = fileURLToPath(new URL('../../server/main.ts', import.meta.url))

interface ClusterOptions {
  nodes: number
  env?: NodeJS.ProcessEnv
  /** Where the room is to be found; a free port unless told. */
  port?: number
  onOutput?: (node: number, text: string) => void
}

/** A whole cluster on free ports and temporary folders: PostgreSQL, Redis, nodes and nginx. */
export async function startCluster({ nodes: count, env = {}, port, onOutput }: ClusterOptions) {
  const opened: { close: () => Promise<void> }[] = []
  /** The proxy first, the stores last: each lives longer than those who need it. */
  async function close(): Promise<void> {
    for (const part of opened.toReversed()) await part.close()
  }
  async function opening<Part extends { close: () => Promise<void> }>(part: Promise<Part>): Promise<Part> {
    const open = await part
    opened.push(open)
    return open
  }

  try {
    const postgres = await opening(startPostgres())
    const redis = await opening(startRedis())
    const nodeEnv = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...env }
    const startings = Array.from({ length: count }, (_, index) =>
      opening(startNode(nodeEnv, (text) => onOutput?.(index, text))),
    )
    // All of them, also when one fails: what is still starting could not be closed.
    await Promise.allSettled(startings)
    const nodes = await Promise.all(startings)
    const nginx = await opening(
      startNginx(
        nodes.map((node) => node.port),
        port,
      ),
    )
    return { url: `http://localhost:${nginx.port}`, postgres, redis, nodes, nginx, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startNode(env: NodeJS.ProcessEnv, onOutput: (text: string) => void) {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const service = createServiceProcess({
    command: [process.execPath, ...serverFlags, serverEntry],
    ready: () =>
      fetch(url + probes.live).then(
        ({ ok }) => ok,
        () => false,
      ),
    env: { PORT: String(port), HOST: '127.0.0.1', TRUST_PROXY: '127.0.0.1', NODE_ENV: 'production', ...env },
    onOutput,
  })
  await service.start()
  return { ...service, port, url, close: () => service.kill() }
}
