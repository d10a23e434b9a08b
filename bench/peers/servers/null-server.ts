// This server does the minimum work of a Node server that writes each message to each socket: it parses only frame
// headers and writes one prepared frame. On the command `flood` it writes blocks of that frame as fast as the sockets
// accept them. This measures the maximum receive rate of the load generator.

import { createServer, type Socket } from 'node:net'
import { plainFrame, textOpcode, parseFrames } from '../../driver/dialects/frames.ts'
import { messageText } from '../../driver/message-text.ts'

const floodCommand = /^flood (\d+) (\d+)$/
const payload = JSON.stringify({ username: 'bench', message: messageText(0, 60), createdTime: 1_700_000_000_000 })
const prepared = plainFrame(payload)
const upgrade =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n'
const sockets = new Set<Socket>()

function flood(frames: number, rounds: number): void {
  const block = Buffer.concat(Array.from({ length: frames }, () => prepared))
  for (const socket of sockets) {
    let remaining = rounds
    const write = () => {
      while (remaining > 0) {
        remaining--
        if (!socket.write(block)) break
      }
      if (remaining === 0) socket.off('drain', write)
    }
    socket.on('drain', write)
    write()
  }
}

function onFrame(_socket: Socket, opcode: number, buffer: Uint8Array, start: number, end: number): void {
  if (opcode !== textOpcode) return
  // A masked payload starts with its four-byte key. The server unmasks only short payloads, which can be the flood
  // command.
  if (end - start < 40) {
    const text = Buffer.from(buffer.subarray(start + 4, end).map((byte, index) => byte ^ buffer[start + (index & 3)]!))
    const [, frames, rounds] = floodCommand.exec(text.toString()) ?? []
    if (frames !== undefined) return flood(Number(frames), Number(rounds))
  }
  for (const target of sockets) target.write(prepared)
}

createServer({ noDelay: true }, (socket) => {
  let partialFrame: Buffer = Buffer.alloc(0)
  let isUpgraded = false
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  socket.on('data', (chunk) => {
    const data = Buffer.concat([partialFrame, chunk])
    if (!isUpgraded) {
      if (!data.includes('\r\n\r\n')) {
        partialFrame = data
        return
      }
      isUpgraded = true
      partialFrame = Buffer.alloc(0)
      socket.write(upgrade)
      sockets.add(socket)
      return
    }
    const parsedBytes = parseFrames(data, data.length, socket, onFrame, 4)
    partialFrame = data.subarray(parsedBytes)
  })
}).listen(Number(process.env['PORT']))
