import { events } from '../../../contract/events.ts'
import type { PresenceVersion } from '../../../contract/presence.ts'
import { createTimer } from '../link/timer.ts'
import { createLink } from '../link/link.ts'
import type { Page } from '../link/browser-page.ts'
import { type PresenceInput, reducePresence, initialPresence } from './presence.ts'
import type { Timing } from '../timing.ts'

export interface PresenceLinkOptions {
  url: string | undefined
  page: Page
  timing: Timing
  onChange: () => void
}

/** Creates the connection that receives the list of online users. */
export function createPresenceLink({ url, page, timing, onChange }: PresenceLinkOptions) {
  const resyncTimer = createTimer()
  let presence = initialPresence

  function apply(input: PresenceInput) {
    const step = reducePresence(presence, input)
    const hasChanged = step.presence.ids !== presence.ids
    presence = step.presence
    if (hasChanged) onChange()
    return step.needsResync
  }

  const link = createLink({
    url,
    page,
    timing,
    auth: () => ({ channel: 'presence', deltas: true }),
    addListeners(socket) {
      socket.on(events.onlineUsers, (ids, version: PresenceVersion | undefined) => {
        resyncTimer.clear()
        apply({ kind: 'list', ids, version })
      })
      socket.on(events.onlineUsersDelta, (delta) => {
        if (!apply({ kind: 'delta', delta })) return
        socket.emit(events.onlineUsersResync)
        resyncTimer.set(timing.responseTimeoutMs, link.reconnect)
      })
    },
    onConnect: () => apply({ kind: 'connected' }),
    onDisconnect: resyncTimer.clear,
    onRejected: () => false,
  })

  const { state, start, stop, markUnconfirmed, wake } = link
  return { ids: () => presence.ids, state, start, stop, markUnconfirmed, wake }
}
