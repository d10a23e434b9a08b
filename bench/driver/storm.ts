import { events } from '../../contract/events.ts'
import { socketPath } from '../../contract/routes.ts'
import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { maskedFrame } from './frames.ts'
import { openPersistently } from './persistent-connection.ts'
import { createPresenceReader, type PresenceView } from './presence-view.ts'
import type { SettleAnswer, StormCalls, StormKind, StormOrder } from './storm-protocol.ts'

const pong = maskedFrame('3')
const resync = maskedFrame(`42${JSON.stringify([events.onlineUsersResync])}`)

interface Member extends PresenceView {
  listens: boolean
  rightAtMs: number
}

function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10
}

function authOf(kind: StormKind, index: number): string {
  if (kind === 'plain') return ''
  return JSON.stringify(index % 2 === 0 ? { channel: 'presence', deltas: true } : { channel: 'messages' })
}

/** Many sockets that come at once, each with its own view of who is online. */
function createStorm() {
  const read = createPresenceReader()
  const members: Member[] = []
  const connections: Connection[] = []
  const ownIds: string[] = []
  let kind: StormKind = 'pages'
  let others = 0
  let endedAtMs = Infinity
  const totals = { presenceBytes: 0, lists: 0, deltas: 0, versionGaps: 0 }

  function isRight({ ids }: Member): boolean {
    return ids.size === ownIds.length + others && ownIds.every((id) => ids.has(id))
  }

  function judge(member: Member): void {
    if (!member.listens || endedAtMs === Infinity) return
    const right = isRight(member)
    if (right && member.rightAtMs === Infinity) member.rightAtMs = nowMs()
    else if (!right) member.rightAtMs = Infinity
  }

  function onPayload(connection: Connection, payload: Buffer, frameBytes: number): void {
    const member = members[connection.index]!
    const change = read(member, payload)
    if (change !== 'other') {
      totals.presenceBytes += frameBytes
      if (change === 'list') totals.lists++
      else totals.deltas++
      if (change === 'gap') {
        totals.versionGaps++
        connection.socket.write(resync)
      }
      judge(member)
      return
    }
    const head = payload.toString('latin1', 0, 2)
    if (head === '2') connection.socket.write(pong)
    else if (head.startsWith('0')) connection.socket.write(maskedFrame(`40${authOf(kind, connection.index)}`))
    else if (head === '40') {
      ownIds.push((JSON.parse(payload.toString('utf8', 2)) as { sid: string }).sid)
      connection.markReady()
    }
  }

  async function join(order: StormOrder) {
    const startedMs = nowMs()
    kind = order.kind
    others = order.others
    const endpoint = { port: order.port, path: `${socketPath}?EIO=4&transport=websocket` }
    let next = 0
    let turnedAway = 0
    const lane = async () => {
      while (next < order.sockets) {
        const index = next++
        const listens = kind === 'plain' || index % 2 === 0
        members[index] = { ids: new Set(), version: 0, shared: false, listens, rightAtMs: Infinity }
        const handlers: ConnectionEvents = {
          onUpgraded: () => undefined,
          onFrame: (connection, _opcode, buffer, start, end) => {
            const payload = Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start)
            onPayload(connection, payload, payload.length + headerBytes(payload.length))
          },
          onBytes: () => undefined,
          onClose: () => undefined,
        }
        connections[index] = await openPersistently(index, endpoint, handlers, () => turnedAway++)
      }
    }
    await Promise.all(Array.from({ length: order.concurrency }, lane))
    endedAtMs = nowMs()
    members.forEach(judge)
    return { tookMs: endedAtMs - startedMs, turnedAway }
  }

  async function settle({ withinMs, onlyBytes = false }: StormCalls['settle']['order']): Promise<SettleAnswer> {
    const listening = members.filter(({ listens }) => listens)
    const rightOnes = () => listening.filter(({ rightAtMs }) => rightAtMs !== Infinity)
    while (nowMs() < endedAtMs + withinMs && (onlyBytes || rightOnes().length < listening.length)) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const right = rightOnes()
    const rightAfterMs = Math.max(0, ...right.map(({ rightAtMs }) => rightAtMs - endedAtMs))
    return { listeners: listening.length, right: right.length, rightAfterMs, ...totals }
  }

  return {
    join,
    settle,
    leave(): null {
      for (const { socket } of connections.splice(0)) socket.resetAndDestroy()
      return null
    },
  }
}

serveCalls<StormCalls>(createStorm())
