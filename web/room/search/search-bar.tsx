import { type KeyboardEvent, useEffect, useRef } from 'react'
import { ChevronIcon, CloseIcon } from '../../ui/icons.tsx'

interface SearchBarProps {
  /**
   * Element that had the focus when the search was opened. On close, this element gets the focus again. If it can no
   * longer have the focus, the search button gets it.
   */
  opener: Element
  query: string
  /** Number of the current match and of all matches, or 'No match'; '' before a result. */
  status: string
  hasMatch: boolean
  onQuery: (query: string) => void
  onStep: (direction: 1 | -1) => void
  onClose: () => void
}

const searchButton = '.message-tools > button'

/** Search bar for messages. It is in the row of the list's title, so that the list usually keeps its height. */
export function SearchBar({ opener, query, status, hasMatch, onQuery, onStep, onClose }: SearchBarProps) {
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    field.current?.focus()
    return () => {
      const target = opener.isConnected && opener !== document.body ? opener : document.querySelector(searchButton)
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
  }, [opener])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && event.target === field.current) onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }

  return (
    <div role="search" className="search-bar" onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="search"
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        aria-label="Search messages"
        placeholder="Search"
        autoComplete="off"
        enterKeyHint="search"
        className="search-input"
      />
      <output className="search-status">{status}</output>
      <div className="search-buttons">
        <button
          type="button"
          aria-label="Previous match"
          aria-disabled={!hasMatch}
          onClick={() => onStep(-1)}
          className="tool-button"
        >
          <ChevronIcon className="size-5 rotate-180" />
        </button>
        <button
          type="button"
          aria-label="Next match"
          aria-disabled={!hasMatch}
          onClick={() => onStep(1)}
          className="tool-button"
        >
          <ChevronIcon />
        </button>
        <button type="button" aria-label="Close the search" onClick={onClose} className="tool-button">
          <CloseIcon />
        </button>
      </div>
    </div>
  )
}
