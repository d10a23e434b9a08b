import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import { type Cell, createCell, type Readable } from './cell.ts'
import { type ConnectionStatus, initialStatus } from './connection-status.ts'
import { emptyMessageList, type MessageList } from './message-list.ts'
import { idleSendState, type SendState } from './send-state.ts'

/** 'anonymous-not-loggedin', or the logged-in name. */
export type Identity = string

export interface RoomActions {
  setDraft(text: string): void
  send(anonymousName: string): void
  logIn(name: string, token: string): void
  retryNow(): void
}

export interface RoomConnection {
  start(): void
  stop(): void
  readonly status: Readable<ConnectionStatus>
  readonly messages: Readable<MessageList>
  readonly onlineUsers: Readable<readonly string[]>
  readonly draft: Readable<string>
  readonly sendState: Readable<SendState>
  readonly identity: Readable<Identity>
  readonly identityNotice: Readable<string | null>
  readonly anonymousName: Cell<string>
  readonly actions: RoomActions
}

export interface RoomConnectionOptions {
  url?: string
}

export function createRoomConnection(_options: RoomConnectionOptions = {}): RoomConnection {
  const draft = createCell('')
  const identity = createCell<Identity>(defaultIdentity)
  return {
    start() {},
    stop() {},
    status: createCell<ConnectionStatus>(initialStatus),
    messages: createCell<MessageList>(emptyMessageList),
    onlineUsers: createCell<readonly string[]>([]),
    draft,
    sendState: createCell<SendState>(idleSendState),
    identity,
    identityNotice: createCell<string | null>(null),
    anonymousName: createCell(initialAnonymousName),
    actions: {
      setDraft: draft.set,
      send() {},
      logIn: (name) => identity.set(name),
      retryNow() {},
    },
  }
}
