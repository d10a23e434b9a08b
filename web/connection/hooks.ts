import { useSyncExternalStore } from 'react'
import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import type { Readable } from './cell.ts'
import { type ConnectionStatus, initialStatus } from './connection-status.ts'
import { emptyMessageList, type MessageList } from './receive/message-buffer.ts'
import type { IdentityNotice } from './messaging.ts'
import { useRoomConnection } from './room-connection-context.ts'
import type { Identity, RoomActions } from './room-connection.ts'
import { initialSender, type Sender } from './send/sender.ts'

const noUsers: readonly string[] = []

// The pages are rendered at build time: what the first paint shows is what a page knows before it has connected.
function useCell<T>(cell: Readable<T>, beforeConnecting: T): T {
  return useSyncExternalStore(cell.subscribe, cell.get, () => beforeConnecting)
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

/** What stands in the field, and what became of every press on Send. */
export function useSender(): Sender {
  return useCell(useRoomConnection().sender, initialSender)
}

export function useIdentity(): Identity {
  return useCell<Identity>(useRoomConnection().identity, defaultIdentity)
}

/** Why the page is anonymous again, when a token was refused. */
export function useIdentityNotice(): IdentityNotice | null {
  return useCell(useRoomConnection().identityNotice, null)
}

export function useAnonymousName(): [string, (name: string) => void] {
  const { anonymousName } = useRoomConnection()
  return [useCell(anonymousName, initialAnonymousName), anonymousName.set]
}

export function useRoomActions(): RoomActions {
  return useRoomConnection().actions
}
