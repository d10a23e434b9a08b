import { type ComponentType, useState } from 'react'
import type { MessageList } from '../../connection/receiving/message-buffer.ts'
import { createOnDemand } from '../../ui/on-demand.ts'
import { plainUpTo } from './drawn-window.ts'
import { isFast, isFlood } from './flow.ts'
import type { MessageListProps } from './list-geometry.ts'
import { PlainMessages } from './plain-messages.tsx'
import { useFlow } from './use-flow.ts'

interface NamedDrawing {
  name: 'plain' | 'virtual'
  drawing: ComponentType<MessageListProps>
}

const plain: NamedDrawing = { name: 'plain', drawing: PlainMessages }

const virtual = createOnDemand(async (): Promise<NamedDrawing> => {
  const { VirtualMessages } = await import('./virtual-messages.tsx')
  return { name: 'virtual', drawing: VirtualMessages }
})

/** The virtualised list is fetched before it is needed, so that it is there when it is. */
const fetchFrom = 200

interface Reader {
  /** At the end, where new entries come in. */
  following: boolean
  /** An entry has the focus, and would lose it. */
  walking: boolean
  printing: boolean
}

/**
 * Which component draws the list. What is printed must stand in the document. In a flood the list is virtualised before
 * it is long: drawing all that comes would hold up the reader's own keys, and so would letting go of two thousand entries
 * at once. When the flood is over, a list that is still short is plain again.
 */
export function useMessageDrawing(
  list: MessageList,
  { following, walking, printing }: Reader,
): NamedDrawing & { hurried: boolean } {
  const flow = useFlow(list)
  const [isEarly, setIsEarly] = useState(false)
  if (isEarly !== isFlood(flow) && !walking && (isEarly || following)) setIsEarly(!isEarly)
  const hurried = isFast(flow)
  const fetched = virtual.useOnDemand(list.length >= fetchFrom || hurried)
  const isVirtual = (isEarly || list.length > plainUpTo) && !printing
  return { ...(isVirtual && fetched !== null ? fetched : plain), hurried }
}
