import type { ChatMessage, Cursor, SendAck, SendOptions, ReplayNotice } from './messages.ts'
import type { Announcement, ModerationAck, ModeratorAction, Role, RoomRules } from './moderation.ts'
import type { PresenceDelta, PresenceVersion } from './presence.ts'

/** Names of the Socket.IO events, except those of moderation. The first three come from the specification. */
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

/**
 * Names of the events of moderation. A client sends `moderate`. The server sends the others, and only to connections
 * with `auth.removals` that receive messages.
 */
export const moderationEvents = {
  moderate: 'moderate',
  roomRules: 'room-rules',
  role: 'role',
  messageRemoved: 'message-removed',
} as const

/**
 * Notice that the server sends with the seqs of removed messages. `removals` is the number of removals so far,
 * including these.
 */
export interface RemovalNotice {
  removals: number
}

export interface RestartNotice {
  inMs: number
}

export interface ClientToServerEvents {
  [events.sendMessage]: {
    (payload: ChatMessage): void
    (payload: ChatMessage, ack: (result: SendAck) => void): void
    (payload: ChatMessage, options: SendOptions, ack: (result: SendAck) => void): void
  }
  [events.resume]: (cursor: Cursor) => void
  [events.onlineUsersResync]: () => void
  [moderationEvents.moderate]: (action: ModeratorAction, ack: (result: ModerationAck) => void) => void
}

/** Events to a connection that requests no extensions: exactly those of the specification. */
export interface SpecifiedServerEvents {
  [events.receiveMessage]: (payload: ChatMessage) => void
  [events.onlineUsers]: (socketIds: string[]) => void
}

/**
 * Events to a connection that requests positions, as the page does. Deltas also require `auth.deltas`. The events of
 * moderation also require `auth.removals`.
 */
export interface ServerToClientEvents {
  [events.receiveMessage]: (payload: ChatMessage, position: Cursor) => void
  [events.onlineUsers]: (socketIds: string[], version: PresenceVersion) => void
  [events.onlineUsersDelta]: (delta: PresenceDelta) => void
  [events.cursor]: (cursor: Cursor, replay: ReplayNotice) => void
  [events.restarting]: (notice: RestartNotice) => void
  [moderationEvents.roomRules]: (rules: RoomRules, announcement: Announcement | null) => void
  [moderationEvents.role]: (role: Role | null) => void
  [moderationEvents.messageRemoved]: (seqs: number[], notice: RemovalNotice) => void
}

/**
 * Events that a node broadcasts to all of its connections that request positions. A page receives them on both of its
 * connections.
 */
export type NodeEvents = Pick<ServerToClientEvents, typeof events.restarting>
