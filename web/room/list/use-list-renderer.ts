import type { ComponentType } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { createOnDemand } from '../../ui/on-demand.ts'
import { plainUpTo } from './rendered-range.ts'
import { isFast, isFlood } from './message-rate.ts'
import type { MessageListProps } from './list-geometry.ts'
import { NewestMessages } from './newest-messages.tsx'
import { PlainMessages } from './plain-messages.tsx'
import { useFlow } from './use-message-rate.ts'

interface NamedDrawing {
  name: 'plain' | 'newest' | 'virtual'
  drawing: ComponentType<MessageListProps>
}

const plain: NamedDrawing = { name: 'plain', drawing: PlainMessages }
const newest: NamedDrawing = { name: 'newest', drawing: NewestMessages }

const virtual = createOnDemand(async (): Promise<NamedDrawing> => {
  const { VirtualMessages } = await import('./virtual-messages.tsx')
  return { name: 'virtual', drawing: VirtualMessages }
})

/** The virtualised list is fetched before it is needed, so that it is there when it is. */
const fetchFrom = 200

interface Reader {
  /** At the end, where new entries come in. */
  following: boolean
  printing: boolean
}

/**
 * Which component draws the list. What is printed must stand in the document. In a flood only the newest entries do:
 * drawing all that comes would hold up the reader's own keys.
 */
export function useMessageDrawing(
  list: MessageList,
  { following, printing }: Reader,
): NamedDrawing & { hurried: boolean } {
  const flow = useFlow(list)
  const hurried = isFast(flow)
  const fetched = virtual.useOnDemand(list.length >= fetchFrom || hurried)
  if (printing) return { ...plain, hurried }
  if (isFlood(flow) && following) return { ...newest, hurried }
  return { ...(list.length > plainUpTo && fetched !== null ? fetched : plain), hurried }
}
