import { nameWithoutSuffix } from '../../../contract/anonymous-label.ts'
import type { ChatMessage } from '../../../contract/messages.ts'
import { oneLine } from '../entry/one-line.ts'

export const maxQuoteCharacters = 120

// Matches the quote at the start of a message that is itself a reply.
const leadingQuote = /^> [^\n]*\n(?=\s*\S)/
// Bidirectional embeddings, overrides and isolates. An unclosed control would change the order of the reply that
// follows.
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns the text to insert for a mention, with a space before it if the text before the caret does not end with
 * whitespace.
 */
export function mentionOf({ username }: ChatMessage, textBefore: string): string {
  return `${/\S$/.test(textBefore) ? ' ' : ''}@${nameWithoutSuffix(username)} `
}

/** Returns the line that quotes a message at the start of a reply. The line is text, so that every client shows it. */
export function quoteOf({ username, message }: ChatMessage): string {
  const text = oneLine(message.replace(leadingQuote, '')).replace(bidiControls, '').trim()
  const characters = [...text]
  const isCut = characters.length > maxQuoteCharacters
  const quoted = isCut ? `${characters.slice(0, maxQuoteCharacters - 1).join('')}…` : text
  // Without the suffix, the quote of an anonymous 'Mia' would look like a quote of the account 'Mia'.
  return `> ${username}: “${quoted}”\n`
}
