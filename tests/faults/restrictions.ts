import type { ChatMessage } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'

/** Codes of rejections by a restriction, a rule of the room, or a revoked login. */
export const moderationCodes: string[] = ['not_allowed', 'unauthorized'] satisfies SendRejectionCode[]

export const ruleKinds = ['read-only', 'accounts-only', 'links-off', 'word', 'slow-mode'] as const
export const clientRestrictions = ['mute', 'ban'] as const

/** Restriction of one client, or a rule of the room. */
export interface Restriction {
  id: string
  rule: (typeof ruleKinds)[number] | (typeof clientRestrictions)[number]
  /** Name of the client that is muted or banned. */
  client?: string
}

/** Texts that the rules reject, and that senders sometimes use. */
const linkText = 'https://example.org/page'
export const filteredWord = 'forbidden'

/** Part of a message that a rule may reject. */
export interface MessageContent {
  contains?: 'link' | 'word'
}

/** Returns the filler. Appends a link for one draw in ten, and a filtered word for another. */
export function textOf(filler: string, draw: number): string {
  if (draw % 10 === 0) return `${filler} ${linkText}`
  return draw % 10 === 1 ? `${filler} ${filteredWord}` : filler
}

export function contentOf({ message }: Pick<ChatMessage, 'message'>): MessageContent {
  if (message.endsWith(linkText)) return { contains: 'link' }
  return message.endsWith(filteredWord) ? { contains: 'word' } : {}
}
