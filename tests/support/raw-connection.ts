import { WebSocket } from 'ws'
import { socketPath } from '../../contract/routes.ts'

/** Opens a WebSocket without a Socket.IO client. The test sends and receives each packet itself. */
export async function openRawConnection(url: string) {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}${socketPath}?EIO=4&transport=websocket`)
  const packets: string[] = []
  const waiting: { prefix: string; resolve: (packet: string) => void }[] = []
  const ended = new Promise<number>((resolve) => webSocket.once('close', resolve))
  webSocket.on('error', () => undefined)
  webSocket.on('message', (data: Buffer) => {
    const packet = data.toString()
    packets.push(packet)
    for (const waiter of waiting) if (packet.startsWith(waiter.prefix)) waiter.resolve(packet)
  })

  /** Resolves to the first packet, received or future, that starts with the given text. */
  async function waitForPacket(prefix: string): Promise<string> {
    const seen = packets.find((packet) => packet.startsWith(prefix))
    return seen ?? new Promise((resolve) => waiting.push({ prefix, resolve }))
  }
  await waitForPacket('0')

  return {
    packets,
    /** Resolves to the close code when the WebSocket is closed. */
    ended,
    waitForPacket,
    send: (data: string | Uint8Array) => webSocket.send(data),
    /** Connects to the default namespace. Resolves to the reply of the server. */
    async connect(auth: string = ''): Promise<string> {
      webSocket.send(`40${auth}`)
      return waitForPacket('4')
    },
    pause: () => webSocket.pause(),
    /** Reads one message and pauses again. */
    readOne: (): void => {
      webSocket.once('message', () => webSocket.pause())
      webSocket.resume()
    },
    close: () => webSocket.terminate(),
  }
}

export type RawConnection = Awaited<ReturnType<typeof openRawConnection>>
