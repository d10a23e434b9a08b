import { type Static, Type } from 'typebox'
import { maxCreatedTimeMs } from './limits.ts'
import type { Rejection, SendRejectionCode } from './rejections.ts'

/**
 * A chat message, as sent and as received. Lengths are checked apart from the shape,
 * because too long is a refusal of its own.
 */
export const ChatMessage = Type.Object({
  username: Type.String(),
  message: Type.String(),
  createdTime: Type.Integer({ minimum: 0, maximum: maxCreatedTimeMs }),
})
export type ChatMessage = Static<typeof ChatMessage>

/** A place in the log: everything up to and including `seq` of this `epoch` has been seen. */
export const Cursor = Type.Object({
  epoch: Type.String({ minLength: 1, maxLength: 64 }),
  seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
export type Cursor = Static<typeof Cursor>

const uuid = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

/** What our page sends behind the payload: the id that makes a repeat harmless, and where it stood when it first sent. */
export const SendOptions = Type.Object({
  id: Type.String({ pattern: uuid }),
  after: Type.Optional(Cursor),
})
export type SendOptions = Static<typeof SendOptions>

export type SendAck = { ok: true; seq: number } | ({ ok: false } & Rejection<SendRejectionCode>)
