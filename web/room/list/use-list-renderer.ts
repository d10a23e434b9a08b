import type { ComponentType } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { createOnDemand } from '../../ui/on-demand.ts'
import { maxPlainEntries } from './rendered-range.ts'
import { isFlood, isHighRate } from './message-rate.ts'
import type { MessageListProps } from './list-geometry.ts'
import { NewestMessages } from './newest-messages.tsx'
import { PlainMessages } from './plain-messages.tsx'
import { useMessageRate } from './use-message-rate.ts'

interface ListRenderer {
  name: 'plain' | 'newest' | 'virtual'
  component: ComponentType<MessageListProps>
}

const plain: ListRenderer = { name: 'plain', component: PlainMessages }
const newest: ListRenderer = { name: 'newest', component: NewestMessages }

const virtual = createOnDemand(async (): Promise<ListRenderer> => {
  const { VirtualMessages } = await import('./virtual-messages.tsx')
  return { name: 'virtual', component: VirtualMessages }
})

/** List length from which the page loads the virtual list, well before it is needed. */
const loadVirtualFrom = 200

/**
 * Returns the component that renders the list. In a flood, a list that follows its end renders only the newest entries:
 * rendering all of them would delay the user's typing.
 */
export function useListRenderer(list: MessageList, isFollowing: boolean): ListRenderer {
  const rate = useMessageRate(list)
  const loadedVirtual = virtual.useOnDemand(list.length >= loadVirtualFrom || isHighRate(rate))
  if (isFlood(rate) && isFollowing) return newest
  return list.length > maxPlainEntries && loadedVirtual !== null ? loadedVirtual : plain
}
