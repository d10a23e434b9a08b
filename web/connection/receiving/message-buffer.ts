import type { ChatMessage } from '../../../contract/messages.ts'

/** Shown in the list where the log could not bridge what was missed. */
export const missedMessagesText = 'Some messages were missed while you were offline'

export type Entry =
  | { kind: 'message'; key: number; number: number; message: ChatMessage; live: boolean }
  | { kind: 'gap'; key: number }

/**
 * A view on everything received so far. `entries` grows in place, so that a thousand messages a second cost no copies:
 * read it only up to `length`, and tell one view from the next by the wrapper.
 */
export interface MessageList {
  readonly entries: readonly Entry[]
  readonly length: number
}

export const emptyMessageList: MessageList = { entries: [], length: 0 }

export type MessageBuffer = ReturnType<typeof createMessageBuffer>

export function createMessageBuffer() {
  const entries: Entry[] = []
  let messages = 0
  return {
    appendMessage(message: ChatMessage, live: boolean) {
      messages++
      entries.push({ kind: 'message', key: entries.length, number: messages, message, live })
    },
    appendGap() {
      entries.push({ kind: 'gap', key: entries.length })
    },
    length: () => entries.length,
    view: (): MessageList => ({ entries, length: entries.length }),
  }
}
