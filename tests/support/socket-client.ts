import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'

/** Connects a Socket.IO client that uses only the specified events. With a token, the client sends as the account. */
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
  const send = (message: string, createdTime = Date.now()) =>
    socket.timeout(60_000).emitWithAck(events.sendMessage, { username, message, createdTime })
  return {
    send,
    /** Sends all messages concurrently. Resolves to their acknowledgements. */
    sendAll: (messages: string[]) => Promise.all(messages.map((message) => send(message))),
    disconnect: () => socket.disconnect(),
  }
}

export const numberedTexts = (count: number, prefix = 'message') =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index + 1}`)
