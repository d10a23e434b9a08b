import type { Application } from './application.ts'
import { startCluster } from './cluster.ts'

/** Runs the application as several nodes behind nginx. Each method acts on all nodes or on the data that they share. */
export async function startClusterApplication(nodes: number, env: Record<string, string> = {}): Promise<Application> {
  const cluster = await startCluster({ nodes, env: { LOG_LEVEL: 'warn', ...env } })
  return {
    url: cluster.url,
    async kill() {
      await Promise.all(cluster.nodes.map((node) => node.kill()))
    },
    async terminate() {
      await Promise.all(cluster.nodes.map((node) => node.stop()))
    },
    async start() {
      await Promise.all(cluster.nodes.map((node) => node.start()))
    },
    async deleteData() {
      cluster.redis.command('flushall')
      cluster.postgres.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    },
    dispose: () => cluster.close(),
  }
}
