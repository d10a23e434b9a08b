import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { maxHttpBodyBytes } from '../../contract/limits.ts'
import { maxBodyChunks } from '../../server/transport/http/protection/body-chunks.ts'
import { maxUnansweredPerConnection } from '../../server/transport/http/protection/limit-requests.ts'
import { maxTcpConnections } from '../../server/transport/http/protection/tcp-connections.ts'
import { readSettings } from '../../server/config/settings.ts'
import { maxWaitingCharacters } from '../../server/transport/sockets/bounded-decoder.ts'
import { maxFragments } from '../../server/transport/sockets/web-socket-engine.ts'
import { startWalkedServer } from './walk/walked-server.ts'
import { encodeFrame, opcodes } from './web-socket-frames.ts'

const { maxConnectionsPerIp: connections } = readSettings({})
/** Beside those of the room, an address may have as many for calls, and some more. */
const otherConnections = maxTcpConnections(connections) - connections
const maxGrowthBytes = 200_000_000
const address = '203.0.113.7'

/** A packet that waits for an attachment that never comes, made of what takes most memory once it is read. */
const waiting = `451-["x",{"_placeholder":true,"num":0}${',{}'.repeat(maxWaitingCharacters / 3 - 30)}]`

/** One message that is never finished, in as many fragments as it may have, of as many bytes as it may have. */
function unfinished(): Buffer {
  const piece = 'x'.repeat(1_000)
  const frames = Array.from({ length: maxFragments - 1 }, (_, i) =>
    encodeFrame(i === 0 ? opcodes.text : opcodes.continuation, piece, { isFinal: false }),
  )
  return Buffer.concat(frames)
}

test(
  `BOUNDS-4 ${connections} connections of one address, each at its worst, hold less than 200 MB`,
  { timeout: 180_000 },
  async () => {
    const server = await startWalkedServer()
    onTestFinished(() => server.close())
    const before = server.memoryBytes()
    let worst = before
    const look = () => (worst = Math.max(worst, server.memoryBytes()))

    for (let i = 0; i < otherConnections; i++) {
      const socket = server.open().pause()
      onTestFinished(() => void socket.destroy())
      const head = `Host: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n`
      // A third each: answers that are not read, a body that never ends, a head that never ends.
      if (i % 3 === 0) socket.write(`GET /login HTTP/1.1\r\n${head}\r\n`.repeat(maxUnansweredPerConnection))
      else if (i % 3 === 1) {
        const size = Math.floor(maxHttpBodyBytes / maxBodyChunks) - 1
        const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
        socket.write(
          `POST /login HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(maxBodyChunks - 1)}`,
        )
      } else socket.write(`GET / HTTP/1.1\r\n${head}X: ${'x'.repeat(15_000)}`)
    }
    look()

    let joined = 0
    for (let i = 0; i < connections; i++) {
      const { socket } = await server.join('', address)
      onTestFinished(() => void socket.destroy())
      if (!socket.closed) joined++
      socket.pause()
      socket.write(encodeFrame(opcodes.text, waiting))
      socket.write(unfinished())
      look()
    }
    expect(joined).toBe(connections)

    // Others talk meanwhile, and nobody at that address reads it.
    const { socket: talker } = await server.join('')
    onTestFinished(() => void talker.destroy())
    for (let i = 0; i < 100; i++) {
      const message = { username: 'talker', message: 'x'.repeat(4_000), createdTime: i }
      talker.write(encodeFrame(opcodes.text, `42["send_message",${JSON.stringify(message)}]`))
      await pause(10)
      look()
    }
    expect(worst - before).toBeLessThan(maxGrowthBytes)
    console.log(`from ${Math.round(before / 1e6)} to ${Math.round(worst / 1e6)} MB`)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  },
)
