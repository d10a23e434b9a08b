import { events } from '../../contract/events.ts'
import { socketPath } from '../../contract/routes.ts'
import { serveCalls } from './calls.ts'
import { nowMs } from './clock.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { frameHeaderBytes, maskedFrame } from './dialects/frames.ts'
import { openWithRetry } from './connection-retry.ts'
import { createPresenceReader, type PresenceView } from './presence-view.ts'
import type { PresenceResponse, JoinStormCalls, JoinStormKind, JoinStormRequest } from './join-storm-protocol.ts'

const pong = maskedFrame('3')
const resync = maskedFrame(`42${JSON.stringify([events.onlineUsersResync])}`)

interface Member extends PresenceView {
  receivesPresence: boolean
  correctAtMs: number
}

function authOf(kind: JoinStormKind, index: number): string {
  if (kind === 'plain') return ''
  return JSON.stringify(index % 2 === 0 ? { channel: 'presence', deltas: true } : { channel: 'messages' })
}

/**
 * Creates the call handlers of a join storm: many sockets that connect concurrently, each with its own view of the
 * online users.
 */
function createJoinStorm() {
  const read = createPresenceReader()
  const members: Member[] = []
  const connections: Connection[] = []
  const ownIds: string[] = []
  let kind: JoinStormKind = 'pages'
  let otherConnections = 0
  let joinedAtMs = Infinity
  const totals = { presenceBytes: 0, versionGaps: 0 }

  function isCorrect({ ids }: Member): boolean {
    return ids.size === ownIds.length + otherConnections && ownIds.every((id) => ids.has(id))
  }

  function updateCorrectness(member: Member): void {
    if (!member.receivesPresence || joinedAtMs === Infinity) return
    const correct = isCorrect(member)
    if (correct && member.correctAtMs === Infinity) member.correctAtMs = nowMs()
    else if (!correct) member.correctAtMs = Infinity
  }

  function onPayload(connection: Connection, payload: Buffer, frameBytes: number): void {
    const member = members[connection.index]!
    const change = read(member, payload)
    if (change !== 'other') {
      totals.presenceBytes += frameBytes
      if (change === 'gap') {
        totals.versionGaps++
        connection.socket.write(resync)
      }
      updateCorrectness(member)
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

  async function join(request: JoinStormRequest) {
    const startedMs = nowMs()
    kind = request.kind
    otherConnections = request.otherConnections
    const endpoint = { port: request.port, path: `${socketPath}?EIO=4&transport=websocket` }
    let next = 0
    let rejectedAttempts = 0
    const worker = async () => {
      while (next < request.sockets) {
        const index = next++
        const receivesPresence = kind === 'plain' || index % 2 === 0
        members[index] = { ids: new Set(), version: 0, isShared: false, receivesPresence, correctAtMs: Infinity }
        const handlers: ConnectionEvents = {
          onUpgraded: () => undefined,
          onFrame: (connection, _opcode, buffer, start, end) => {
            const payload = Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start)
            onPayload(connection, payload, payload.length + frameHeaderBytes(payload.length))
          },
          onBytes: () => undefined,
          onClose: () => undefined,
        }
        connections[index] = await openWithRetry(index, endpoint, handlers, () => rejectedAttempts++)
      }
    }
    await Promise.all(Array.from({ length: request.concurrency }, worker))
    joinedAtMs = nowMs()
    members.forEach(updateCorrectness)
    return { durationMs: joinedAtMs - startedMs, rejectedAttempts }
  }

  async function waitForPresence({
    timeoutMs,
    isFixedDuration = false,
  }: JoinStormCalls['waitForPresence']['request']): Promise<PresenceResponse> {
    const receivers = members.filter(({ receivesPresence }) => receivesPresence)
    const correctMembers = () => receivers.filter(({ correctAtMs }) => correctAtMs !== Infinity)
    while (nowMs() < joinedAtMs + timeoutMs && (isFixedDuration || correctMembers().length < receivers.length)) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const correct = correctMembers()
    const correctAfterMs = Math.max(0, ...correct.map(({ correctAtMs }) => correctAtMs - joinedAtMs))
    return { presenceClients: receivers.length, correct: correct.length, correctAfterMs, ...totals }
  }

  return {
    join,
    waitForPresence,
    disconnect(): null {
      for (const { socket } of connections.splice(0)) socket.resetAndDestroy()
      return null
    },
  }
}

serveCalls<JoinStormCalls>(createJoinStorm())
