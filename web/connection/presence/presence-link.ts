import { events } from '../../../contract/events.ts'
import type { PresenceVersion } from '../../../contract/presence.ts'
import { createAlarm } from '../link/timer.ts'
import { createLink } from '../link/link.ts'
import type { Page } from '../link/browser-page.ts'
import { type PresenceInput, reducePresence, unknownPresence } from './presence.ts'
import type { Timing } from '../timing.ts'

export interface OnlineListOptions {
  url: string | undefined
  page: Page
  timing: Timing
  onChange: () => void
}

/** The connection that tells who is online. */
export function createOnlineList({ url, page, timing, onChange }: OnlineListOptions) {
  const answerLimit = createAlarm()
  let presence = unknownPresence

  function take(input: PresenceInput) {
    const step = reducePresence(presence, input)
    const changed = step.presence.ids !== presence.ids
    presence = step.presence
    if (changed) onChange()
    return step.resync
  }

  const link = createLink({
    url,
    page,
    timing,
    auth: () => ({ channel: 'presence', deltas: true }),
    attach(socket) {
      socket.on(events.onlineUsers, (ids, version: PresenceVersion | undefined) => {
        answerLimit.clear()
        take({ kind: 'list', ids, version })
      })
      socket.on(events.onlineUsersDelta, (delta) => {
        if (!take({ kind: 'delta', delta })) return
        socket.emit(events.onlineUsersResync)
        answerLimit.set(timing.answerLimitMs, link.remake)
      })
    },
    onConnect: () => take({ kind: 'connected' }),
    onDown: answerLimit.clear,
    onRefused: () => false,
  })

  const { state, start, stop, doubt, wake } = link
  return { ids: () => presence.ids, state, start, stop, doubt, wake }
}
