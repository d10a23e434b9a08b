import type { Ref } from 'react'
import type { MessageList } from '../connection/message-list.ts'
import type { Anchor } from './reading.ts'

/** What the reader's place is computed from; the plain and the virtualised list both answer it. */
export interface ListGeometry {
  top(): Anchor
  lastVisible(): number
  show(anchor: Anchor): void
}

export interface MessageListProps {
  list: MessageList
  /** The entry that has the keyboard's focus stays in the document, however far it is scrolled away. */
  focused: number | null
  ref: Ref<ListGeometry>
}
