import { createElement, type ReactElement, useState } from 'react'
import { useModeration } from '../../connection/hooks.ts'
import { entryAt, type MessageEntry, type MessageList } from '../../connection/receive/message-buffer.ts'
import { createOnDemand } from '../../ui/on-demand.ts'
import type { EntryAction } from '../actions/entry-action.ts'

const entryMenu = createOnDemand(async () => (await import('./entry-menu.tsx')).EntryMenu)

/** Returns the moderator's action for an entry, and the menu that this action opens. Other users have neither. */
export function useEntryMenu(list: MessageList) {
  const { isModerator } = useModeration()
  const Menu = entryMenu.useOnDemand(isModerator)
  const [openKey, setOpenKey] = useState<number | null>(null)
  const entry = openKey === null ? undefined : entryAt(list, openKey)
  const isOpen = isModerator && entry?.kind === 'message' && entry.seq !== undefined
  const menu: ReactElement | null =
    isOpen && Menu !== null ? createElement(Menu, { entry, onClose: () => setOpenKey(null) }) : null
  return {
    menu,
    moderatorActions: ({ key, seq }: MessageEntry): EntryAction[] =>
      isModerator && seq !== undefined ? [{ label: 'Moderate', run: () => setOpenKey(key) }] : [],
  }
}
