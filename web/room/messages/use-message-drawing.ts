import { type ComponentType, useEffect, useState } from 'react'
import type { MessageListProps } from './list-geometry.ts'
import { PlainMessages } from './plain-messages.tsx'

type Drawing = ComponentType<MessageListProps>

/** The virtualised list is fetched before it is needed, so that it is there when it is. */
const fetchFrom = 60
const virtualFrom = 200

let virtualDrawing: Drawing | null = null

async function fetchVirtualDrawing(): Promise<Drawing> {
  const { VirtualMessages } = await import('./virtual-messages.tsx')
  virtualDrawing = VirtualMessages
  return VirtualMessages
}

interface NamedDrawing {
  name: 'plain' | 'virtual'
  drawing: Drawing
}

const plain: NamedDrawing = { name: 'plain', drawing: PlainMessages }

/** Which component draws a list of this length. */
export function useMessageDrawing(length: number): NamedDrawing {
  const [fetched, setFetched] = useState<Drawing | null>(() => virtualDrawing)
  const wanted = length >= fetchFrom

  useEffect(() => {
    if (!wanted || fetched !== null) return
    let current = true
    fetchVirtualDrawing().then(
      (drawing) => current && setFetched(() => drawing),
      (error: unknown) => console.error(error),
    )
    return () => {
      current = false
    }
  }, [wanted, fetched])

  return length > virtualFrom && fetched !== null ? { name: 'virtual', drawing: fetched } : plain
}
