import type { ComponentType } from 'react'
import { createOnDemand } from '../../ui/on-demand.ts'
import { plainUpTo } from './drawn-window.ts'
import type { MessageListProps } from './list-geometry.ts'
import { PlainMessages } from './plain-messages.tsx'

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
const fetchFrom = plainUpTo / 2

/** Which component draws a list of this length. What is printed must stand in the document. */
export function useMessageDrawing(length: number, printing: boolean): NamedDrawing {
  const fetched = virtual.useOnDemand(length >= fetchFrom)
  return length > plainUpTo && fetched !== null && !printing ? fetched : plain
}
