import type { MessageEntry } from '../../connection/receive/message-buffer.ts'
import { insertAtCaret, insertAtStart } from '../composer/insert-text.ts'
import type { EntryAction } from './entry-action.ts'
import { mentionOf, quoteOf } from './quote.ts'

export const mentionSender = ({ message }: MessageEntry) => insertAtCaret((before) => mentionOf(message, before))

/** Returns the actions for an entry, in the order of their buttons. */
export function entryActions(entry: MessageEntry): EntryAction[] {
  return [
    { label: 'Reply', run: () => insertAtStart(quoteOf(entry.message)) },
    { label: 'Mention', run: () => mentionSender(entry) },
  ]
}
