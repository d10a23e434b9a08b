// This server runs Socket.IO on uWebSockets: a broadcast to a room is a native publish. This file is JavaScript because the
// binary may load only in a Node that cannot strip types.

import { Server } from 'socket.io'
import uws from 'uwebsockets'

const { PORT, SEND_EVENT = '', RECEIVE_EVENT = '' } = process.env
const app = uws.App()
const io = new Server({ transports: ['websocket'], serveClient: false })
io.attachApp(app, { maxBackpressure: 64 * 1_024 * 1_024 })

io.on('connection', (socket) => {
  socket.on(SEND_EVENT, (payload) => {
    io.emit(RECEIVE_EVENT, payload)
  })
})
app.listen(Number(PORT), () => undefined)
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
