import { createServer, type Socket } from 'node:net'
import { plainFrame, textOpcode, walkFrames } from '../../driver/frames.ts'
import { messageText } from '../../driver/message-text.ts'

/**
 * The floor for a server in Node that writes each message to each socket: it reads nothing of a message but its length
 * and writes one frame prepared at the start. Asked to `flood`, it writes blocks of that frame as fast as the
 * sockets take them, which shows how much the load's own side can receive.
 */
const floodOrder = /^flood (\d+) (\d+)$/
const payload = JSON.stringify({ username: 'bench', message: messageText(0, 60), createdTime: 1_700_000_000_000 })
const prepared = plainFrame(payload)
const upgrade =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n'
const sockets = new Set<Socket>()

function flood(frames: number, rounds: number): void {
  const block = Buffer.concat(Array.from({ length: frames }, () => prepared))
  for (const socket of sockets) {
    let left = rounds
    const write = () => {
      while (left > 0) {
        left--
        if (!socket.write(block)) break
      }
      if (left === 0) socket.off('drain', write)
    }
    socket.on('drain', write)
    write()
  }
}

function onFrame(_socket: Socket, opcode: number, buffer: Uint8Array, start: number, end: number): void {
  if (opcode !== textOpcode) return
  // A masked frame's payload begins with its four-byte key; only the short flood order is ever unmasked.
  if (end - start < 40) {
    const text = Buffer.from(buffer.subarray(start + 4, end).map((byte, index) => byte ^ buffer[start + (index & 3)]!))
    const [, frames, rounds] = floodOrder.exec(text.toString()) ?? []
    if (frames !== undefined) return flood(Number(frames), Number(rounds))
  }
  for (const target of sockets) target.write(prepared)
}

createServer({ noDelay: true }, (socket) => {
  let tail: Buffer = Buffer.alloc(0)
  let upgraded = false
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  socket.on('data', (chunk) => {
    const data = Buffer.concat([tail, chunk])
    if (!upgraded) {
      if (!data.includes('\r\n\r\n')) {
        tail = data
        return
      }
      upgraded = true
      tail = Buffer.alloc(0)
      socket.write(upgrade)
      sockets.add(socket)
      return
    }
    const used = walkFrames(data, data.length, socket, onFrame, 4)
    tail = data.subarray(used)
  })
}).listen(Number(process.env['PORT']))
