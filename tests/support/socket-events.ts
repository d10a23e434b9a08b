import type { Socket } from 'socket.io-client'

/** Resolves to the arguments of the next `event`. Rejects after the timeout. */
export function nextEvent<Args extends unknown[]>(socket: Socket, event: string, timeoutMs = 30_000): Promise<Args> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.off(event, onEvent)
      reject(new Error(`no ${event} within ${timeoutMs} ms`))
    }, timeoutMs)
    const onEvent = (...args: unknown[]) => {
      clearTimeout(timer)
      resolve(args as Args)
    }
    socket.once(event, onEvent)
  })
}

/** Collects the arguments of every `event` from now on. */
export function collectSocketEvents<Args extends unknown[]>(socket: Socket, event: string) {
  const seen: Args[] = []
  const waiting = new Set<() => void>()
  socket.on(event, (...args: unknown[]) => {
    seen.push(args as Args)
    for (const onEvent of waiting) onEvent()
  })
  return {
    seen,
    /** Resolves when `count` events were seen. Rejects when none arrives within the timeout, however many are missing. */
    async atLeast(count: number, timeoutMs = 30_000): Promise<Args[]> {
      if (seen.length < count) {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`${seen.length} of ${count} ${event}`)), timeoutMs)
          waiting.add(function onEvent() {
            timer.refresh()
            if (seen.length < count) return
            clearTimeout(timer)
            waiting.delete(onEvent)
            resolve()
          })
        })
      }
      return seen
    },
  }
}

export async function waitForConnect(socket: Socket): Promise<Socket> {
  if (!socket.connected) await nextEvent(socket, 'connect')
  return socket
}
