import type { ChatMessage, Cursor, SendAck, SendOptions } from './messages.ts'
import type { PresenceDelta, PresenceVersion } from './presence.ts'

/** Every event on the wire, by what it is called there; the first three are the specification's. */
export const events = {
  sendMessage: 'send_message',
  receiveMessage: 'recive_message',
  onlineUsers: 'online-users',
  onlineUsersDelta: 'online-users-delta',
  onlineUsersResync: 'online-users-resync',
  cursor: 'cursor',
  resume: 'resume',
  restarting: 'restarting',
} as const

export interface RestartNotice {
  inMs: number
}

export interface ClientToServerEvents {
  [events.sendMessage]: {
    (payload: ChatMessage): void
    (payload: ChatMessage, ack: (answer: SendAck) => void): void
    (payload: ChatMessage, options: SendOptions, ack: (answer: SendAck) => void): void
  }
  [events.resume]: (cursor: Cursor) => void
  [events.onlineUsersResync]: () => void
}

/** What a connection is told that asked for nothing more: the specification, to the letter. */
export interface SpecifiedServerEvents {
  [events.receiveMessage]: (payload: ChatMessage) => void
  [events.onlineUsers]: (socketIds: string[]) => void
}

/** What a connection is told that asked for positions; our page does. */
export interface ServerToClientEvents {
  [events.receiveMessage]: (payload: ChatMessage, position: Cursor) => void
  [events.onlineUsers]: (socketIds: string[], version: PresenceVersion) => void
  [events.onlineUsersDelta]: (delta: PresenceDelta) => void
  [events.cursor]: (cursor: Cursor) => void
  [events.restarting]: (notice: RestartNotice) => void
}

/**
 * What a node tells of itself, once, to whoever is connected to it: the connections of other nodes are not told, nor those
 * who come later, and a page hears it on both of its connections. Anything else is no notice.
 */
export type NodeEvents = Pick<ServerToClientEvents, typeof events.restarting>
