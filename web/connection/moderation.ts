import { moderationEvents } from '../../contract/events.ts'
import type { Announcement, ModerationAck, ModeratorAction, RoomRules } from '../../contract/moderation.ts'
import type { Cell } from './cell.ts'
import type { RoomSocket } from './link/link.ts'
import { createTimer } from './link/timer.ts'

/** Moderation state that the page has received from the server. */
export interface Moderation {
  /** Rules of the room; `null` while no rule is in effect. */
  readonly rules: RoomRules | null
  readonly announcement: Announcement | null
  readonly isModerator: boolean
}

/** Moderation state while nothing is in effect. The page then loads no code for moderation. */
export const noModeration: Moderation = { rules: null, announcement: null, isModerator: false }
const moderationKeys = Object.keys(noModeration) as (keyof Moderation)[]

const notSent: ModerationAck = { ok: false, code: 'unavailable', message: 'No response from the server. Try again.' }

/** Timeout for the role after a connect. A user without a role by then is no longer a moderator. */
const roleTimeoutMs = 1_000

/** Creates the part of the message connection that receives rules and the role, and sends a moderator's actions. */
export function createModerationLoop(moderation: Cell<Moderation>, ackTimeoutMs: number) {
  let socket: RoomSocket | null = null
  const roleTimer = createTimer()
  const update = (changes: Partial<Moderation>) => {
    const next = { ...moderation.get(), ...changes }
    const isInEffect = moderationKeys.some((key) => next[key] !== noModeration[key])
    moderation.set(isInEffect ? next : noModeration)
  }
  const clearRole = () => update({ isModerator: false })
  return {
    addListeners(newSocket: RoomSocket) {
      newSocket.on(moderationEvents.roomRules, (rules, announcement) =>
        update({ rules: Object.values(rules).some(Boolean) ? rules : null, announcement }),
      )
      newSocket.on(moderationEvents.role, (role) => {
        roleTimer.clear()
        update({ isModerator: role === 'moderator' })
      })
    },
    open(openSocket: RoomSocket) {
      socket = openSocket
      // Right after a connect, the server sends the role only to moderators.
      roleTimer.set(roleTimeoutMs, clearRole)
    },
    close() {
      socket = null
      roleTimer.clear()
    },
    clearRole,
    moderate: (action: ModeratorAction) =>
      new Promise<ModerationAck>((resolve) => {
        if (socket === null) return resolve(notSent)
        socket
          .timeout(ackTimeoutMs)
          .emit(moderationEvents.moderate, action, (error, result) => resolve(error ? notSent : result))
      }),
  }
}
