import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { events } from '../../contract/events.ts'
import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { probes } from '../../contract/routes.ts'

// This control server is a chat room on stock Socket.IO, as in the documentation of Socket.IO, with connection state
// recovery.
const http = createServer((request, response) => {
  response.statusCode = request.url === probes.ready ? 200 : 404
  response.end()
})
const io = new Server(http, {
  connectionStateRecovery: { maxDisconnectionDuration: 120_000 },
  pingInterval: pingIntervalMs,
  pingTimeout: pingTimeoutMs,
})

io.on('connection', (socket) => {
  socket.on(events.sendMessage, (payload: ChatMessage, ack?: (result: { ok: true }) => void) => {
    io.emit(events.receiveMessage, payload)
    ack?.({ ok: true })
  })
})

http.listen(Number(process.env['PORT']), process.env['HOST'])
process.once('SIGTERM', () => {
  // Close only the transports: a client that gets a Socket.IO disconnect packet does not reconnect.
  io.engine.close()
  http.close(() => process.exit(0))
  http.closeAllConnections()
})
