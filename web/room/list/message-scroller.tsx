import {
  createElement,
  type CSSProperties,
  type MouseEvent,
  useCallback,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useAnonymousName, useIdentity } from '../../connection/hooks.ts'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { entryElement, type ListHandle, listMarginPx, visibleEntries } from './list-geometry.ts'
import { createMentionMatcher } from '../entry/mentions.ts'
import { longestTimes } from '../entry/time-format.ts'
import { ScrollAnchor } from '../reading/scroll-anchor.tsx'
import { countUnseen } from '../reading/reading.ts'
import { ReadingBar } from '../reading/reading-bar.tsx'
import { useReadingMemory } from '../reading/reading-memory.ts'
import { useAnnouncements } from '../reading/use-announcements.ts'
import { useCopiedText } from './use-copied-text.ts'
import { useListKeys } from './use-list-keys.ts'
import { useListRenderer } from './use-list-renderer.ts'
import { usePrintedList } from './use-printed-list.ts'
import { useReading } from '../reading/use-reading.ts'
import { EntryToolbar } from '../actions/entry-toolbar.tsx'
import { useSelectedEntry } from '../actions/use-selected-entry.ts'
import { useEntryMenu } from '../moderation/use-entry-menu.tsx'
import { SearchBar } from '../search/search-bar.tsx'
import { useFindShortcut } from '../search/use-find-shortcut.ts'
import { useHighlight } from '../search/use-highlight.ts'
import { useRevealMatch } from '../search/use-reveal-match.ts'
import { useSearch } from '../search/use-search.ts'
import { maxPlainEntries } from './rendered-range.ts'

// The tools are loaded together with the list.
export { MessageTools } from './message-tools.tsx'

/**
 * Returns the matcher for the user's name. The anonymous name is deferred, so that typing the name does not wait for the
 * list to render.
 */
function useMentionMatcher() {
  const identity = useIdentity()
  const anonymousName = useDeferredValue(useAnonymousName()[0])
  return useMemo(() => createMentionMatcher(identity, anonymousName), [identity, anonymousName])
}

/**
 * Returns the style of the list. The function is called when the list is mounted, not when the code is loaded, because
 * the first use of `Intl` takes long.
 */
const createScrollerStyle = () =>
  ({ '--list-margin': `${listMarginPx}px`, '--longest-times': longestTimes() }) as CSSProperties

/** Maximum number of entries that fit in the height of the reading bar. */
const entriesBehindBar = 2

// Near the end of the list, the browser's scroll anchoring would follow new entries. `ScrollAnchor` keeps the position
// instead.
const heldStyle: CSSProperties = { overflowAnchor: 'none' }

interface MessageScrollerProps {
  list: MessageList
  openedAtKey: number
  titleId: string
  /** Element that announces new messages. */
  liveRegion: HTMLElement | null
  /** Element that had the focus when the search was opened; `null` while the search is closed. */
  searchOpener: Element | null
  openSearch: () => void
  closeSearch: () => void
}

export function MessageScroller(props: MessageScrollerProps) {
  const { list, openedAtKey, titleId, liveRegion, searchOpener, openSearch, closeSearch } = props
  const scroller = useRef<HTMLElement>(null)
  const [scrollerStyle] = useState(createScrollerStyle)
  const handle = useRef<ListHandle>(null)
  const memory = useReadingMemory()
  const { selected, skipSelection, handlers } = useSelectedEntry(list)
  const { menu, moderatorActions } = useEntryMenu(list)
  // In a busy room, an entry would scroll away before the user can act on it.
  const isHeld = selected !== null || menu !== null
  const { reading, heldEndKey, onScroll, updateReading, goToEnd, goToLatest, prepareJump } = useReading(
    scroller,
    list,
    openedAtKey,
    isHeld,
  )
  const { name, component } = useListRenderer(list, reading.isFollowing)
  const { focusedKey, setFocusedKey, onKeyDown, onBlur } = useListKeys(scroller, list, name)
  const selectedKey = selected?.key ?? null
  const isMenuOpen = menu !== null
  // Another renderer replaces the elements, so the selected entry loses the focus but stays selected. Focus it again.
  useLayoutEffect(() => {
    if (selectedKey === null || isMenuOpen || document.activeElement !== document.body) return
    entryElement(scroller.current, selectedKey)?.focus({ preventScroll: true })
  }, [name, selectedKey, isMenuOpen])
  const mentionsUser = useMentionMatcher()
  useCopiedText(list)
  usePrintedList(scroller, list)
  useAnnouncements(liveRegion, list, openedAtKey)
  const unseen = countUnseen(reading, list)
  // While the list is held at its end, the bar would take the space of a selected entry there.
  const hasBar =
    heldEndKey === null
      ? (unseen > 0 && !list.isReplaying) || !reading.isFollowing
      : unseen > 0 && selectedKey !== null && selectedKey < heldEndKey - entriesBehindBar
  const firstUnseen = reading.unseen[0]?.from ?? null

  const scrollToKey = useCallback(
    (key: number, offsetPx: number) => {
      const anchor = { key, offsetPx }
      prepareJump(anchor)
      handle.current?.scrollToAnchor(anchor)
    },
    [prepareJump],
  )

  const firstVisibleKey = useCallback(() => {
    const visible = scroller.current === null ? null : visibleEntries(scroller.current)
    return visible?.anchor.key ?? list.firstKey
  }, [list])
  const search = useSearch(list, firstVisibleKey)
  const matchKey = search.currentKey
  useHighlight(scroller, matchKey, search.pattern)
  useFindShortcut(list.length > maxPlainEntries, openSearch)
  useRevealMatch(scroller, matchKey, search.pattern, scrollToKey)

  const showFirstUnread = (event: MouseEvent) => {
    if (firstUnseen === null) return
    // A pointer user wants to read the entry, which the toolbar could cover. For a click by the keyboard,
    // `event.detail` is 0.
    if (event.detail > 0) skipSelection(firstUnseen)
    scrollToKey(firstUnseen, 0)
    setFocusedKey(firstUnseen)
  }

  const showLatest = (event: MouseEvent) => {
    // The button disappears. Move its keyboard focus to the list.
    if (document.activeElement === event.currentTarget) scroller.current?.focus({ preventScroll: true })
    goToLatest()
  }

  return (
    <>
      {searchOpener !== null && (
        <SearchBar
          opener={searchOpener}
          query={search.query}
          status={search.status}
          hasMatch={matchKey !== null}
          onQuery={search.setQuery}
          onStep={search.step}
          onClose={() => {
            search.close()
            closeSearch()
          }}
        />
      )}
      <div className="relative min-h-12 shrink-0 grow" {...handlers}>
        <ScrollRegion
          ref={scroller}
          aria-labelledby={titleId}
          onScroll={onScroll}
          onKeyDown={onKeyDown}
          onBlur={onBlur}
          data-digits={String(list.receivedCount).length}
          data-renderer={name}
          className="message-scroller"
          style={heldEndKey !== null ? { ...scrollerStyle, ...heldStyle } : scrollerStyle}
        >
          {createElement(component, {
            ref: handle,
            list,
            currentKey: matchKey ?? focusedKey,
            unreadDividerKey: reading.unreadDivider?.key ?? null,
            mentionsUser,
            goToEnd,
          })}
        </ScrollRegion>
        {selected !== null && (
          <EntryToolbar
            key={selected.key}
            entry={selected}
            scroller={scroller}
            moreActions={moderatorActions(selected)}
          />
        )}
        {menu}
        <ScrollAnchor key={name} scroller={scroller} list={handle} goToEnd={goToEnd} updateReading={updateReading} />
      </div>
      {hasBar && (
        <ReadingBar
          unseen={unseen}
          isAbove={reading.isFollowing || (firstUnseen !== null && firstUnseen < memory.anchor.get().key)}
          onFirstUnread={showFirstUnread}
          onLatest={showLatest}
        />
      )}
    </>
  )
}
