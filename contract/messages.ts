import { type Static, Type } from 'typebox'
import { maxCreatedTimeMs } from './limits.ts'
import type { Rejection, SendRejectionCode } from './rejections.ts'

/** Chat message, as sent and as received. Lengths are validated separately because `too_long` is its own rejection code. */
export const ChatMessage = Type.Object({
  username: Type.String(),
  message: Type.String(),
  /** Time chosen by the client, in milliseconds since 1970. The server does not check it against its own clock. */
  createdTime: Type.Integer({ minimum: 0, maximum: maxCreatedTimeMs }),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Position in the log: the client has received every message of this `epoch` up to and including `seq`. */
export const Cursor = Type.Object({
  epoch: Type.String({ minLength: 1, maxLength: 64 }),
  seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Opaque id of the term. It distinguishes two messages with one seq, of which one was lost with a part of the log. */
  term: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Number of removals that the client has applied. It is not part of the position of a message. */
  removals: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type Cursor = Static<typeof Cursor>

/**
 * Notice that the server sends with a confirmed position. Messages up to `head` were stored before: the client missed them.
 */
export interface ReplayNotice {
  head: number
}

const uuid = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

/** Options that the page sends after the payload: an id for deduplication, and the sender's position at the first attempt. */
export const SendOptions = Type.Object({
  id: Type.String({ pattern: uuid }),
  after: Type.Optional(Cursor),
})
export type SendOptions = Static<typeof SendOptions>

export type SendAck = { ok: true; seq: number } | ({ ok: false } & Rejection<SendRejectionCode>)
