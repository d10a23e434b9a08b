import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * Finds a free TCP port and reserves it for this process until the process ends. The port is below the ephemeral range:
 * an outgoing connection could otherwise take it while the server is down.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

/** Binds the UDP port of the same number, so that no other process of the tests finds this port before it is used. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.unref()
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  await new Promise((resolve) => probe.close(resolve))
  return isListening
}
