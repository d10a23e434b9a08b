import { events } from '../../contract/events.ts'
import type { StormCalls, StormKind } from '../driver/storm-protocol.ts'
import { startDriver } from '../harness/driver-process.ts'
import { openRoom } from '../harness/room.ts'
import { startServer } from '../harness/server-process.ts'
import { naivePresenceLaunch } from '../peers/node-peers.ts'
import type { Peer } from '../peers/peer.ts'
import { findPeer } from '../peers/peers.ts'
import type { NaiveCheck, Scenario, StormResult } from './scenario.ts'

export const stormSizes = [500, 1_000, 2_000]
const talkers = 40
const concurrency = 64
/** Lists must be right within 2 s; what comes later is still waited for, so that it can be told how late it was. */
const settleWithinMs = 8_000
const naiveCheckSockets = 200

/** A list of everybody to everybody at every join. */
export function naiveBytes(sockets: number): number {
  const idBytes = '"12345678901234567890",'.length
  const restBytes = `42["${events.onlineUsers}",[]]`.length - 1
  let total = 0
  for (let online = 1; online <= sockets; online++) {
    const payload = restBytes + online * idBytes
    total += online * (payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10))
  }
  return total
}

async function storm(peer: Peer, kind: StormKind, sockets: number): Promise<StormResult> {
  const room = await openRoom(peer, talkers)
  const driver = startDriver<StormCalls>('storm.ts')
  try {
    await room.warmUp()
    const chat = room.burst({ rate: 25, seconds: sockets > 500 ? 4 : 2, drainMs: 5_000 })
    const order = { kind, port: room.server.port, sockets, concurrency, others: talkers }
    const { tookMs, turnedAway } = await driver.call('join', order)
    const settled = await driver.call('settle', { withinMs: settleWithinMs })
    const { p50Ms, p99Ms, complete } = await chat
    await driver.call('leave', null)
    return {
      kind,
      sockets,
      tookMs,
      turnedAway,
      presenceBytes: settled.presenceBytes,
      naiveBytes: naiveBytes(sockets),
      right: settled.right,
      listeners: settled.listeners,
      rightAfterMs: settled.rightAfterMs,
      chatP50Ms: p50Ms,
      chatP99Ms: p99Ms,
      chatComplete: complete,
      versionGaps: settled.versionGaps,
    }
  } finally {
    await driver.stop()
    await room.close()
  }
}

/** The naive bytes of 2,000 joins are computed, being tens of gigabytes; those of 200 are counted to prove the formula. */
async function checkNaive(): Promise<NaiveCheck> {
  const peer = findPeer('socketio')
  const server = await startServer(peer, { launchOn: naivePresenceLaunch })
  const driver = startDriver<StormCalls>('storm.ts')
  try {
    const order = { kind: 'plain' as const, port: server.port, sockets: naiveCheckSockets, concurrency: 1, others: 0 }
    await driver.call('join', order)
    const { presenceBytes } = await driver.call('settle', { withinMs: 1_500, onlyBytes: true })
    await driver.call('leave', null)
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
  able: ['app'],
  peers: ['app'],
  quickPeers: ['app'],
  expectedSeconds: (_peer, quick) => (quick ? 15 : 27),
  async measure(peer, { quick, note }) {
    const storms: StormResult[] = []
    for (const sockets of quick ? [500, 2_000] : stormSizes) {
      note(`${sockets} sockets of pages`)
      storms.push(await storm(peer, 'pages', sockets))
    }
    if (!quick) {
      note('2000 plain sockets')
      storms.push(await storm(peer, 'plain', 2_000))
    }
    return { scenario: 'join-storm', storms, naiveCheck: await checkNaive() }
  },
}
