import type { SendAck } from '../../../contract/messages.ts'
import type { SendRejectionCode } from '../../../contract/rejections.ts'
import * as sending from './sender.ts'

export const position = { epoch: 'log', seq: 5 }
export const at = (ms: number, cursor: sending.SendContext['cursor'] = position) => ({
  nowMs: ms,
  elapsedMs: ms,
  cursor,
})
export const by = (id: string, name = 'bob', anonymous = true): sending.SendRequest => ({ id, name, anonymous })
export const stored: SendAck = { ok: true, seq: 6 }
export const rejection = (code: SendRejectionCode, retryAfterMs?: number): SendAck => ({
  ok: false,
  code,
  message: 'because',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

export const open = sending.opened(sending.initialSender, at(0)).sender
export const typed = (draft: string, sender = open) => sending.editDraft(sender, draft)
export const sent = (draft: string) => sending.send(typed(draft), by('first'), at(1_000))
export const thenSent = (draft: string, id: string, sender: sending.Sender) =>
  sending.send(typed(draft, sender), by(id), at(2_000)).sender
export const states = ({ outbox }: sending.Sender) =>
  outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)
