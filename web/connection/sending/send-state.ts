import type { SendRefusalCode } from '../../../contract/refusals.ts'

/** What became of the press on Send: `waiting` sends again by itself, `refused` only when Send is pressed again. */
export type SendState =
  | { state: 'idle' }
  | { state: 'sending' }
  | { state: 'waiting'; reason: string; retryAtMs: number }
  | { state: 'refused'; code: SendRefusalCode; reason: string }

export const idleSendState: SendState = { state: 'idle' }
