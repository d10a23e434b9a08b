import { RedisError } from '../../server/storage/redis/redis-error.ts'
import { cursorAt, type Lineage } from '../../server/room/lineage.ts'
import type { MessageLog } from '../../server/room/message-log.ts'
import { decodeMessage } from '../../server/storage/redis/log/message-codec.ts'
import { openRedisLog } from '../../server/storage/redis/log/redis-log.ts'
import { bodyOf, keyOf, removedMark } from '../faults/history.ts'
import { noClusterEvents } from '../support/no-cluster-events.ts'
import type { Connection } from './connection.ts'
import { createFakeRedis } from './fake-redis.ts'
import { createRedisLink } from '../../server/storage/redis/redis-link.ts'
import { openRedisBus } from '../../server/storage/redis/redis-bus.ts'
import { createRedisNetwork } from './redis-network.ts'
import { openSimulatedModeration, type SimulatedModeration } from './simulated-moderation.ts'
import { type SimulatedServer, startSimulatedServer } from './simulated-server.ts'
import { maxAgeMs, type Deployment, type DeploymentOptions } from './deployment.ts'
import type { Owner } from './virtual-time.ts'

interface Node {
  /** Process of the node; `null` while it is not running. */
  owner: Owner | null
  /** Server of the node; `null` while the node is not running or is still starting. */
  server: SimulatedServer | null
}

const restartDelayMs = 500
/** Jump of the clock, longer than the retention. */
const clockJumpMs = 2 * maxAgeMs

/** Simulates several nodes with the real `redis-log.ts`, each with its own connections to a fake Redis. */
export function createClusterDeployment({
  plan,
  time,
  random,
  database,
  recordServerEvent,
}: DeploymentOptions): Deployment {
  const redis = createFakeRedis(time)
  const network = createRedisNetwork(time, random, redis)
  const nodes: Node[] = Array.from({ length: plan.nodes }, () => ({ owner: null, server: null }))
  const serverOf = new Map<Connection, SimulatedServer>()

  function start(index: number): void {
    const node = nodes[index]
    // The node may already run: a cold restore during the downtime of a crash or of another restore can start it earlier.
    if (node === undefined || node.owner !== null) return
    const owner: Owner = { name: `node-${index + 1}`, isAlive: true }
    node.owner = owner
    time.after(0, () => void boot(node, index, owner), owner)
  }

  async function boot(node: Node, index: number, owner: Owner): Promise<void> {
    const retention = { maxAgeMs, maxMessages: plan.retainedMessages }
    const connect = network.connectAs(index, owner)
    let log: MessageLog
    let moderation: SimulatedModeration | null = null
    try {
      const shared = database === null ? null : await openRedisBus(createRedisLink('', 'chat-room', undefined, connect))
      log = await openRedisLog({
        url: '',
        retention,
        waitReplicas: 0,
        events: shared?.events ?? noClusterEvents,
        report: () => undefined,
        connect,
      })
      if (database !== null && shared !== null)
        moderation = await openSimulatedModeration({ database, log, bus: shared.bus, owner })
    } catch (error) {
      if (!(error instanceof RedisError)) throw error
      // A node that cannot start exits, and its supervisor starts it again.
      time.after(restartDelayMs, () => void boot(node, index, owner), owner)
      return
    }
    node.server = startSimulatedServer({ owner, log, moderation, maxAgeMs, time, random, recordServerEvent })
  }

  function kill(node: Node): void {
    node.server?.crash()
    if (node.owner !== null) node.owner.isAlive = false
    Object.assign(node, { owner: null, server: null })
  }

  for (const index of nodes.keys()) start(index)
  return {
    room: {
      admit(connection, handshake) {
        const { server } = random.pick(nodes)
        if (server === null) return false
        serverOf.set(connection, server)
        server.admit(connection, handshake)
        return true
      },
      receive: (connection, ...args) => serverOf.get(connection)?.receive(connection, ...args),
      leave(connection) {
        serverOf.get(connection)?.leave(connection)
        serverOf.delete(connection)
      },
    },
    isUp: () => nodes.every(({ server }) => server !== null),
    serverOf: (node) => nodes[node % nodes.length]?.server ?? null,
    apply({
      kind,
      page = 0,
      node: drawn = 0,
      downMs = 0,
      connections = 'all',
      isSilent = false,
      isPromoted = false,
      isCold,
    }) {
      const index = drawn % nodes.length
      const node = nodes[index]
      if (kind === 'remove') node?.server?.remove(page)
      if (kind === 'crash' && node !== undefined && node.owner !== null) {
        kill(node)
        time.after(downMs, () => start(index))
      }
      if (kind === 'pause' && node?.owner != null) node.owner.pausedUntilMs = time.nowMs() + downMs
      if (kind === 'sever') network.sever({ node: index, untilMs: time.nowMs() + downMs, connections, isSilent })
      if (kind === 'backup') redis.backUp()
      if (kind === 'restart') redis.restart()
      if (kind === 'jump') {
        redis.jumpClock(clockJumpMs)
        time.after(downMs, () => redis.jumpClock(-clockJumpMs))
      }
      if (kind === 'restore' && isCold === true) {
        for (const [one, stopped] of nodes.entries()) {
          kill(stopped)
          time.after(downMs, () => start(one))
        }
      }
      if (kind === 'restore') redis.restore({ isPromoted })
      if (kind === 'restart' || kind === 'restore') network.takeDown(downMs)
      if (kind === 'wipe') redis.wipe()
      if (kind === 'wipe' || kind === 'restore') recordServerEvent({ type: 'restored', provenBy: 'clients' })
    },
    stop() {
      for (const node of nodes) kill(node)
    },
    recordLog(record) {
      const { fields, entries } = redis.state()
      const lineage = JSON.parse(fields?.lineage ?? '[]') as Lineage
      for (const { seq, text } of entries) {
        const { message } = decodeMessage(text) ?? {}
        if (message === undefined) throw new Error(`message ${seq} has no text`)
        record({
          type: 'stored',
          key: keyOf(message),
          body: bodyOf(message),
          ...removedMark(message),
          ...cursorAt(lineage, seq),
        })
      }
    },
  }
}
