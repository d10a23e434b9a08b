import { events } from '../../contract/events.ts'
import { frameHeaderBytes } from '../driver/dialects/frames.ts'
import type { JoinStormCalls, JoinStormKind } from '../driver/join-storm-protocol.ts'
import { startDriver } from '../harness/driver-process.ts'
import { openRoom } from '../harness/room.ts'
import { startServer } from '../harness/server-process.ts'
import { launchNaivePresence } from '../peers/node-peers.ts'
import type { Peer } from '../peers/peer.ts'
import { findPeer } from '../peers/peers.ts'
import type { NaiveCheck, Scenario, JoinStormResult } from './scenario.ts'

export const joinStormSizes = [500, 1_000, 2_000]
const chatClients = 40
const concurrency = 64
/**
 * Timeout of the presence lists. It is longer than the target of 2 s, so that the report has the actual time of a late
 * list.
 */
const presenceTimeoutMs = 8_000
const naiveCheckSockets = 200

/** Returns the bytes that a server sends in total if it sends the full list to every client at every join. */
export function naiveBytes(sockets: number): number {
  const idBytes = '"12345678901234567890",'.length
  const envelopeBytes = `42["${events.onlineUsers}",[]]`.length - 1
  let total = 0
  for (let online = 1; online <= sockets; online++) {
    const payloadBytes = envelopeBytes + online * idBytes
    total += online * (frameHeaderBytes(payloadBytes) + payloadBytes)
  }
  return total
}

async function measureJoinStorm(peer: Peer, kind: JoinStormKind, sockets: number): Promise<JoinStormResult> {
  const room = await openRoom(peer, chatClients)
  const driver = startDriver<JoinStormCalls>('join-storm.ts')
  try {
    await room.warmUp()
    const chat = room.burst({ rate: 25, seconds: sockets > 500 ? 4 : 2, drainMs: 5_000 })
    const request = { kind, port: room.server.port, sockets, concurrency, otherConnections: chatClients }
    const { durationMs, rejectedAttempts } = await driver.call('join', request)
    const presence = await driver.call('waitForPresence', { timeoutMs: presenceTimeoutMs })
    const { p50Ms, p99Ms, isComplete } = await chat
    await driver.call('disconnect', null)
    return {
      kind,
      sockets,
      durationMs,
      rejectedAttempts,
      presenceBytes: presence.presenceBytes,
      naiveBytes: naiveBytes(sockets),
      correct: presence.correct,
      presenceClients: presence.presenceClients,
      correctAfterMs: presence.correctAfterMs,
      chatP50Ms: p50Ms,
      chatP99Ms: p99Ms,
      isChatComplete: isComplete,
      versionGaps: presence.versionGaps,
    }
  } finally {
    await driver.stop()
    await room.close()
  }
}

/** Compares `naiveBytes` with a measurement of 200 joins. 2,000 joins would be tens of gigabytes. */
async function checkNaive(): Promise<NaiveCheck> {
  const peer = findPeer('socketio')
  const server = await startServer(peer, { launch: launchNaivePresence })
  const driver = startDriver<JoinStormCalls>('join-storm.ts')
  try {
    const request = {
      kind: 'plain' as const,
      port: server.port,
      sockets: naiveCheckSockets,
      concurrency: 1,
      otherConnections: 0,
    }
    await driver.call('join', request)
    const { presenceBytes } = await driver.call('waitForPresence', { timeoutMs: 1_500, isFixedDuration: true })
    await driver.call('disconnect', null)
    return {
      sockets: naiveCheckSockets,
      measuredBytes: presenceBytes,
      computedBytes: naiveBytes(naiveCheckSockets),
    }
  } finally {
    await driver.stop()
    await server.stop()
  }
}

export const joinStorm: Scenario = {
  name: 'join-storm',
  title: 'Join storm, 2,000 sockets at once',
  supportedPeers: ['app'],
  peers: ['app'],
  quickPeers: ['app'],
  expectedSeconds: (_peer, quick) => (quick ? 15 : 27),
  async measure(peer, { quick, note }) {
    const storms: JoinStormResult[] = []
    for (const sockets of quick ? [500, 2_000] : joinStormSizes) {
      note(`${sockets} page sockets`)
      storms.push(await measureJoinStorm(peer, 'pages', sockets))
    }
    if (!quick) {
      note('2000 plain sockets')
      storms.push(await measureJoinStorm(peer, 'plain', 2_000))
    }
    return { scenario: 'join-storm', storms, naiveCheck: await checkNaive() }
  },
}
