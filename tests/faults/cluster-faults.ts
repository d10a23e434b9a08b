import type { ClusterAction } from './cluster-schedule.ts'
import type { ClusterSetup } from './cluster-setup.ts'

/** Creates a function that injects faults into nodes, the services that they share, and their connections to Redis. */
export function createClusterFaults(setup: ClusterSetup) {
  const tally: Partial<Record<ClusterAction['kind'], number>> = {}

  async function onNode(action: Extract<ClusterAction, { node: number }>, pause: (ms: number) => Promise<void>) {
    const node = setup.nodes[action.node]
    if (node === undefined) throw new Error(`there is no node ${action.node}`)
    const { server, redisProxy } = node
    if (action.kind === 'drain node') {
      await server.drain()
      return server.start()
    }
    if (action.kind === 'kill node') {
      await server.kill()
      await pause(action.forMs)
      return server.start()
    }
    if (action.kind === 'stop node') {
      server.signal('SIGSTOP')
      await pause(action.forMs)
      server.signal('SIGCONT')
      return
    }
    if (action.kind === 'disconnect node') redisProxy.rejectConnections()
    else redisProxy.stall(['toServer', 'toClient'], 'path')
    await pause(action.forMs)
    redisProxy.resume()
  }

  async function onShared(action: Exclude<ClusterAction, { node: number }>, pause: (ms: number) => Promise<void>) {
    const { redis, postgres, nginx } = setup
    switch (action.kind) {
      case 'kill redis':
      case 'kill postgres': {
        const service = action.kind === 'kill redis' ? redis : postgres
        await service.kill()
        await pause(action.forMs)
        return service.start()
      }
      case 'stop redis':
      case 'stop postgres': {
        const service = action.kind === 'stop redis' ? redis : postgres
        service.pause()
        await pause(action.forMs)
        return service.resume()
      }
      case 'restart nginx':
        return nginx.restart()
      case 'back up redis':
        return redis.backUp()
      case 'wipe redis':
        await redis.kill()
        setup.recordRestore()
        return redis.wipe()
      case 'flush redis':
        setup.recordRestore()
        redis.command('flushall')
        return
      case 'restore redis':
        await redis.kill()
        setup.recordRestore()
        return redis.restore()
    }
  }

  return {
    tally,
    onServer: async (action: ClusterAction, pause: (ms: number) => Promise<void>): Promise<void> => {
      tally[action.kind] = (tally[action.kind] ?? 0) + 1
      await ('node' in action ? onNode(action, pause) : onShared(action, pause))
    },
  }
}
