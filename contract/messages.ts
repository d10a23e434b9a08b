import { type Static, Type } from 'typebox'
import { maxCreatedTimeMs } from './limits.ts'
import type { Rejection, SendRejectionCode } from './rejections.ts'

/**
 * Chat message, as sent and as received. The server validates lengths separately, because `too_long` is its own
 * rejection code.
 */
export const ChatMessage = Type.Object({
  username: Type.String(),
  message: Type.String(),
  /** Time chosen by the client, in milliseconds since 1970. The server does not compare this time with its own clock. */
  createdTime: Type.Integer({ minimum: 0, maximum: maxCreatedTimeMs }),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Position in the log: directly after the message `seq` of this `epoch`. */
export const Cursor = Type.Object({
  epoch: Type.String({ minLength: 1, maxLength: 64 }),
  seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /**
   * Opaque id of the term in which the log stored the message `seq`. After a loss of data, the log can assign the same
   * seq to another message; the term distinguishes the two messages.
   */
  term: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Number of removals that the client has applied. It is not part of the position of a message. */
  removals: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type Cursor = Static<typeof Cursor>

/**
 * Notice that the server sends with each `cursor` event. The log already contains the messages after that cursor up to
 * `head`, and the server replays them.
 */
export interface ReplayNotice {
  head: number
}

const uuid = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

/** Optional second argument of `send_message`: an id for deduplication, and the sender's position at the first attempt. */
export const SendOptions = Type.Object({
  id: Type.String({ pattern: uuid }),
  after: Type.Optional(Cursor),
})
export type SendOptions = Static<typeof SendOptions>

export type SendAck = { ok: true; seq: number } | ({ ok: false } & Rejection<SendRejectionCode>)
