// This server reads with ws. It frames each message once and writes it directly to every TCP socket.

import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { plainFrame } from '../../driver/dialects/frames.ts'

const http = createServer()
const server = new WebSocketServer({ server: http, perMessageDeflate: false, skipUTF8Validation: true })
const sockets = new Set<Socket>()

server.on('connection', (client, request) => {
  const { socket } = request
  sockets.add(socket)
  client.on('close', () => sockets.delete(socket))
  client.on('error', () => sockets.delete(socket))
  client.on('message', (data: Buffer) => {
    const frame = plainFrame(data)
    for (const target of sockets) target.write(frame)
  })
})
http.listen(Number(process.env['PORT']))
