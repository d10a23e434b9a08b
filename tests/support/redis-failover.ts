import { expect } from 'vitest'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { startRedis } from './redis-server.ts'

/** Starts a Redis primary and its replica behind one address. The caller must call `close`. */
export async function startRedisPair() {
  // Start the initial sync at once. By default Redis waits five seconds for more replicas.
  const primary = await startRedis({ settings: { 'repl-diskless-sync-delay': '0' } })
  const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${primary.port}` } })
  const address = await createTcpProxy(primary.port)
  return {
    url: `redis://127.0.0.1:${address.port}`,
    replica,
    /** Swaps the roles. Open connections stay connected to the server that is now the replica. */
    async failOver(): Promise<void> {
      await expect.poll(() => replica.command('INFO', 'replication')).toContain('master_link_status:up')
      // WAIT does not help here: it covers only the writes of the connection that calls it.
      const writtenBytes = replicationOffset(primary)
      await expect.poll(() => replicationOffset(replica)).toBeGreaterThanOrEqual(writtenBytes)
      replica.command('REPLICAOF', 'NO', 'ONE')
      address.moveTo(replica.port)
      primary.command('REPLICAOF', '127.0.0.1', `${replica.port}`)
    },
    async close(): Promise<void> {
      await address.close()
      await Promise.all([primary.close(), replica.close()])
    },
  }
}

function replicationOffset(redis: Pick<Awaited<ReturnType<typeof startRedis>>, 'command'>): number {
  return Number(/^master_repl_offset:(\d+)/m.exec(redis.command('INFO', 'replication'))?.[1])
}
