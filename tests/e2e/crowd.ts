import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'

/** A plain client of the room, outside of any browser: it knows the specified events and nothing else. */
export async function join(url: string, username: string) {
  const socket = io(url, { transports: ['websocket'], forceNew: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  const say = (message: string) =>
    socket.timeout(10_000).emitWithAck(events.sendMessage, { username, message, createdTime: Date.now() })
  return {
    say,
    /** Many messages at once; resolves when each is acknowledged. */
    sayAll: (messages: string[]) => Promise.all(messages.map(say)),
    leave: () => socket.disconnect(),
  }
}

export const numbered = (count: number, prefix = 'message') =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index + 1}`)
