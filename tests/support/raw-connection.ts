import { WebSocket } from 'ws'
import { socketPath } from '../../contract/routes.ts'

/** A WebSocket that speaks no Socket.IO by itself: the test writes and reads every packet. */
export async function openRawConnection(url: string) {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}${socketPath}?EIO=4&transport=websocket`)
  const packets: string[] = []
  const waiting: { begin: string; resolve: (packet: string) => void }[] = []
  const ended = new Promise<number>((resolve) => webSocket.once('close', resolve))
  webSocket.on('error', () => undefined)
  webSocket.on('message', (data: Buffer) => {
    const packet = data.toString()
    packets.push(packet)
    for (const waiter of waiting) if (packet.startsWith(waiter.begin)) waiter.resolve(packet)
  })

  /** The first packet, seen or still to come, that begins so. */
  async function waitForPacket(begin: string): Promise<string> {
    const seen = packets.find((packet) => packet.startsWith(begin))
    return seen ?? new Promise((resolve) => waiting.push({ begin, resolve }))
  }
  await waitForPacket('0')

  return {
    packets,
    /** Resolves with the WebSocket's close code once the server has ended it. */
    ended,
    waitForPacket,
    send: (data: string | Uint8Array) => webSocket.send(data),
    /** Connects to the default namespace; resolves with the server's answer. */
    async connect(auth: string = ''): Promise<string> {
      webSocket.send(`40${auth}`)
      return waitForPacket('4')
    },
    pause: () => webSocket.pause(),
    /** Reads a little of what waits. */
    readOne: (): void => {
      webSocket.once('message', () => webSocket.pause())
      webSocket.resume()
    },
    close: () => webSocket.terminate(),
  }
}

export type RawConnection = Awaited<ReturnType<typeof openRawConnection>>
