import { useEffect, useState } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import {
  continueSearch,
  isSearchComplete,
  matchNumber,
  type MessageSearch,
  nearestMatch,
  searchPattern,
  startSearch,
  stepMatch,
} from './message-search.ts'

/**
 * Searches the whole list while it grows. `firstVisibleKey` returns the key of the entry at which the user reads. Without
 * a current match, the hook selects the first match at or after this entry, or else the last match.
 */
export function useSearch(list: MessageList, firstVisibleKey: () => number) {
  const [query, setQueryText] = useState('')
  const [search, setSearch] = useState<MessageSearch | null>(null)
  const [currentKey, setCurrentKey] = useState<number | null>(null)
  const isComplete = search !== null && isSearchComplete(search, list)

  useEffect(() => {
    if (search === null || isComplete) return
    const timer = window.setTimeout(() => {
      const next = continueSearch(search, list)
      setSearch(next)
      if (!isSearchComplete(next, list)) return
      setCurrentKey((key) =>
        key !== null && matchNumber(next.keys, key) > 0 ? key : nearestMatch(next.keys, key ?? firstVisibleKey()),
      )
    })
    return () => window.clearTimeout(timer)
  }, [search, list, isComplete, firstVisibleKey])

  const setQuery = (text: string) => {
    const pattern = searchPattern(text)
    setQueryText(text)
    setSearch(pattern === null ? null : startSearch(pattern))
    if (pattern === null) setCurrentKey(null)
  }
  const step = (direction: 1 | -1) => {
    if (search !== null) setCurrentKey(stepMatch(search.keys, currentKey ?? firstVisibleKey(), direction))
  }
  const close = () => setQuery('')
  return { query, setQuery, step, close, pattern: search?.pattern ?? null, currentKey, status: statusText() }

  function statusText(): string {
    if (search === null || (!isComplete && currentKey === null)) return ''
    const { keys } = search
    if (keys.length === 0) return isComplete ? 'No match' : ''
    return `${matchNumber(keys, currentKey).toLocaleString()} of ${keys.length.toLocaleString()}`
  }
}
