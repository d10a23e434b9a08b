import { useEffect, useState } from 'react'
import { closestKey } from './list-geometry.ts'

/** Keys of the entries that contain the start and the end of the selection. */
type SelectedKeys = readonly number[]

const noKeys: SelectedKeys = []

function selectedKeys(): SelectedKeys {
  const selection = document.getSelection()
  if (selection === null || selection.isCollapsed) return noKeys
  return [closestKey(selection.anchorNode), closestKey(selection.focusNode)].filter((key) => key !== null)
}

/**
 * Returns the keys of the entries that contain the ends of the selection. Renderers must keep these entries mounted. A
 * copy takes the entries between them from the list.
 */
export function useListSelection(): SelectedKeys {
  const [keys, setKeys] = useState(noKeys)

  useEffect(() => {
    const updateKeys = () =>
      setKeys((previous) => {
        const next = selectedKeys()
        const isUnchanged = next.length === previous.length && next.every((key, index) => key === previous[index])
        return isUnchanged ? previous : next
      })
    document.addEventListener('selectionchange', updateKeys)
    return () => document.removeEventListener('selectionchange', updateKeys)
  }, [])

  return keys
}
