import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'

/** A plain client of the room, outside of any browser; with a token it speaks as its account. */
export async function connectClient(url: string, username: string, token?: string) {
  const socket = io(url, {
    transports: ['websocket'],
    forceNew: true,
    ...(token === undefined ? {} : { auth: { token } }),
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  const say = (message: string, createdTime = Date.now()) =>
    socket.timeout(60_000).emitWithAck(events.sendMessage, { username, message, createdTime })
  return {
    say,
    /** Many messages at once; resolves when each is acknowledged. */
    sendAll: (messages: string[]) => Promise.all(messages.map((message) => say(message))),
    disconnect: () => socket.disconnect(),
  }
}

export const numberedTexts = (count: number, prefix = 'message') =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index + 1}`)
