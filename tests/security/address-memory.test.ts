import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { maxHttpBodyBytes } from '../../contract/limits.ts'
import { maxBodyChunks } from '../../server/transport/http/protection/body-chunks.ts'
import { maxUnansweredPerConnection } from '../../server/transport/http/protection/limit-requests.ts'
import { maxTcpConnections } from '../../server/transport/http/protection/tcp-connections.ts'
import { readSettings } from '../../server/config/settings.ts'
import { maxWaitingCharacters } from '../../server/transport/sockets/bounded-decoder.ts'
import { maxFragments } from '../../server/transport/sockets/web-socket-engine.ts'
import { startTurnCostServer } from './event-loop-cost/turn-cost-server.ts'
import { encodeFrame, opcodes } from './web-socket-frames.ts'

const { maxConnectionsPerIp: connections } = readSettings({})
/** Number of TCP connections that an address may have in addition to its connections in the room. */
const otherConnections = maxTcpConnections(connections) - connections
const maxGrowthBytes = 200_000_000
const address = '203.0.113.7'

/** Packet that waits for a missing attachment, with content that takes the most memory when parsed. */
const waiting = `451-["x",{"_placeholder":true,"num":0}${',{}'.repeat(maxWaitingCharacters / 3 - 30)}]`

/** Returns an unfinished message just below the maximum number of fragments and bytes. */
function unfinished(): Buffer {
  const piece = 'x'.repeat(1_000)
  const frames = Array.from({ length: maxFragments - 1 }, (_, i) =>
    encodeFrame(i === 0 ? opcodes.text : opcodes.continuation, piece, { isFinal: false }),
  )
  return Buffer.concat(frames)
}

test(
  `BOUNDS-4 ${connections} connections of one address with maximum buffering take less than 200 MB`,
  { timeout: 180_000 },
  async () => {
    const server = await startTurnCostServer()
    onTestFinished(() => server.close())
    const before = server.memoryBytes()
    let worst = before
    const sampleMemory = () => (worst = Math.max(worst, server.memoryBytes()))

    for (let i = 0; i < otherConnections; i++) {
      const socket = server.open().pause()
      onTestFinished(() => void socket.destroy())
      const head = `Host: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n`
      // The connections are in three equal groups: unread responses, an unfinished body, an unfinished head.
      if (i % 3 === 0) socket.write(`GET /login HTTP/1.1\r\n${head}\r\n`.repeat(maxUnansweredPerConnection))
      else if (i % 3 === 1) {
        const chunks = maxBodyChunks(maxHttpBodyBytes) - 1
        const size = Math.floor(maxHttpBodyBytes / chunks) - 1
        const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
        socket.write(`POST /login HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(chunks)}`)
      } else socket.write(`GET / HTTP/1.1\r\n${head}X: ${'x'.repeat(15_000)}`)
    }
    sampleMemory()

    let joined = 0
    for (let i = 0; i < connections; i++) {
      const { socket } = await server.join('', address)
      onTestFinished(() => void socket.destroy())
      if (!socket.closed) joined++
      socket.pause()
      socket.write(encodeFrame(opcodes.text, waiting))
      socket.write(unfinished())
      sampleMemory()
    }
    expect(joined).toBe(connections)

    // Another client sends messages, which the connections of that address do not read.
    const { socket: sender } = await server.join('')
    onTestFinished(() => void sender.destroy())
    for (let i = 0; i < 100; i++) {
      const message = { username: 'sender', message: 'x'.repeat(4_000), createdTime: i }
      sender.write(encodeFrame(opcodes.text, `42["send_message",${JSON.stringify(message)}]`))
      await pause(10)
      sampleMemory()
    }
    expect(worst - before).toBeLessThan(maxGrowthBytes)
    console.log(`from ${Math.round(before / 1e6)} to ${Math.round(worst / 1e6)} MB`)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  },
)
