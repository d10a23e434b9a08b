import { createServer } from 'node:http'
import { Server } from 'socket.io'

// MODE=default follows Socket.IO's getting-started guide. MODE=best follows its performance guide, except for
// `volatile`, which can drop messages. NAIVE_PRESENCE broadcasts the full list of online users at every change.
const { PORT, MODE, NAIVE_PRESENCE, SEND_EVENT = '', RECEIVE_EVENT = '', ONLINE_EVENT = '' } = process.env
const http = createServer()
const io =
  MODE === 'best'
    ? new Server(http, {
        transports: ['websocket'],
        allowUpgrades: false,
        perMessageDeflate: false,
        httpCompression: false,
        serveClient: false,
      })
    : new Server(http)

if (MODE === 'best') {
  io.engine.on('connection', (socket: { request: unknown }) => {
    socket.request = null
  })
}

io.on('connection', (socket) => {
  socket.on(SEND_EVENT, (payload: unknown) => {
    io.emit(RECEIVE_EVENT, payload)
  })
  if (NAIVE_PRESENCE === undefined) return
  const publish = () => io.emit(ONLINE_EVENT, [...io.sockets.sockets.keys()])
  publish()
  socket.on('disconnect', publish)
})
http.listen(Number(PORT))
