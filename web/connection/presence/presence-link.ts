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

/** The connection that tells who is online. */
export function createPresenceLink({ url, page, timing, onChange }: PresenceLinkOptions) {
  const answerLimit = createTimer()
  let presence = initialPresence

  function take(input: PresenceInput) {
    const step = reducePresence(presence, input)
    const changed = step.presence.ids !== presence.ids
    presence = step.presence
    if (changed) onChange()
    return step.needsResync
  }

  const link = createLink({
    url,
    page,
    timing,
    auth: () => ({ channel: 'presence', deltas: true }),
    addListeners(socket) {
      socket.on(events.onlineUsers, (ids, version: PresenceVersion | undefined) => {
        answerLimit.clear()
        take({ kind: 'list', ids, version })
      })
      socket.on(events.onlineUsersDelta, (delta) => {
        if (!take({ kind: 'delta', delta })) return
        socket.emit(events.onlineUsersResync)
        answerLimit.set(timing.responseTimeoutMs, link.remake)
      })
    },
    onConnect: () => take({ kind: 'connected' }),
    onDisconnect: answerLimit.clear,
    onRejected: () => false,
  })

  const { state, start, stop, doubt, wake } = link
  return { ids: () => presence.ids, state, start, stop, doubt, wake }
}
