import { useSyncExternalStore } from 'react'
import { anonymousLabel } from '../../contract/anonymous-label.ts'
import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import type { Readable } from './cell.ts'
import { type ConnectionStatus, initialStatus } from './connection-status.ts'
import { emptyMessageList, type MessageList } from './receive/message-buffer.ts'
import type { IdentityNotice } from './messaging.ts'
import { type Moderation, noModeration } from './moderation.ts'
import { useRoomConnection } from './room-connection-context.ts'
import type { Identity, RoomActions } from './room-connection.ts'
import { initialSender, type Sender } from './send/sender.ts'

const noUsers: readonly string[] = []

/** Returns the value of a cell. Prerendering and hydration use `initial`, the value before the page connects. */
function useCell<T>(cell: Readable<T>, initial: T): T {
  return useSyncExternalStore(cell.subscribe, cell.get, () => initial)
}

export function useConnectionStatus(): ConnectionStatus {
  return useCell(useRoomConnection().status, initialStatus)
}

export function useMessages(): MessageList {
  return useCell(useRoomConnection().messages, emptyMessageList)
}

export function useOnlineUsers(): readonly string[] {
  return useCell(useRoomConnection().onlineUsers, noUsers)
}

/**
 * Returns a part of the draft and the outbox. The component renders again only when that part changes, and not
 * at every keystroke, which changes the draft. `select` must return the identical value for the same sender.
 */
export function useSender<T>(select: (sender: Sender) => T): T {
  const { sender } = useRoomConnection()
  return useSyncExternalStore(
    sender.subscribe,
    () => select(sender.get()),
    () => select(initialSender),
  )
}

export function useIdentity(): Identity {
  return useCell<Identity>(useRoomConnection().identity, defaultIdentity)
}

/** Returns the name of the account of the user; `null` for an anonymous user. */
export function useAccount(): string | null {
  const identity = useIdentity()
  return identity === defaultIdentity ? null : identity
}

/** Returns the reason why the page became anonymous again; `null` when there is none. */
export function useIdentityNotice(): IdentityNotice | null {
  return useCell(useRoomConnection().identityNotice, null)
}

export function useAnonymousName(): [string, (name: string) => void] {
  const { anonymousName } = useRoomConnection()
  return [useCell(anonymousName, initialAnonymousName), anonymousName.set]
}

/** Returns the username of a message that the user would send now. */
export function useUsername(): string {
  const [anonymousName] = useAnonymousName()
  return useAccount() ?? anonymousLabel(anonymousName)
}

/** Returns the rules of the room, the announcement and the role of the user. */
export function useModeration(): Moderation {
  return useCell(useRoomConnection().moderation, noModeration)
}

export function useRoomActions(): RoomActions {
  return useRoomConnection().actions
}
