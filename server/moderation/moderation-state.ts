import { isDeepStrictEqual } from 'node:util'
import type { Announcement, RoomRules } from '../../contract/moderation.ts'
import { singleFlight } from '../base/single-flight.ts'
import type { ClusterBus } from '../bus/cluster-bus.ts'
import type { Report } from '../observe/events.ts'
import { checkStored } from './check-stored.ts'
import type { FilteredWord, ModerationStore, StoredModeration } from './moderation-store.ts'
import { createRestrictionIndex, type RestrictionIndex } from './restriction-index.ts'
import { createWordFilter, type WordFilter } from './filter/word-filter.ts'

/** Interval at which each node loads the state again, in case an event was lost. */
const reloadEveryMs = 60_000
const retryMs = 500

/** Roles, rules, words and restrictions that a node has loaded. Each reload replaces the whole snapshot. */
export interface ModerationSnapshot {
  /** Names of the moderators by account id. */
  moderators: ReadonlyMap<string, string>
  rules: RoomRules
  announcement: Announcement | null
  words: readonly FilteredWord[]
  /** Filter of the words; `null` if the list of words is empty. */
  filter: WordFilter | null
  restrictions: RestrictionIndex
  /** Whether there is no rule, word or restriction, so that a message needs no check. */
  isUnrestricted: boolean
}

type ChangeListener = (snapshot: ModerationSnapshot, previous: ModerationSnapshot) => void

/**
 * Opens the state and keeps it in memory. Loads it at the start, on each `moderation-changed` of the bus, and every
 * minute. While the store is unavailable, the node keeps the last state.
 */
export async function openModerationState(
  store: ModerationStore,
  bus: ClusterBus,
  report: Report,
  now: () => number = () => performance.now(),
) {
  /** Difference between the clock of the database and `now`. */
  let offsetMs = 0
  let current = await loadSnapshot(null)
  const listeners: ChangeListener[] = []
  let retry: NodeJS.Timeout | undefined
  let isStopped = false

  async function loadSnapshot(previous: ModerationSnapshot | null): Promise<ModerationSnapshot> {
    const invalidKeys: string[] = []
    const stored = checkStored(await store.load(), (key) => invalidKeys.push(key))
    if (invalidKeys.length > 0) report({ type: 'moderation-values-invalid', keys: invalidKeys })
    offsetMs = stored.nowMs - now()
    return snapshotOf(stored, previous)
  }

  const reload = singleFlight(async () => {
    const previous = current
    const snapshot = await loadSnapshot(previous)
    current = snapshot
    for (const listener of listeners) listener(snapshot, previous)
  })

  async function reloadUntilDone(): Promise<void> {
    clearTimeout(retry)
    try {
      await reload()
    } catch (error) {
      report({ type: 'moderation-reload-failed', error })
      // Another call may have failed at the same time.
      clearTimeout(retry)
      if (!isStopped) retry = setTimeout(() => void reloadUntilDone(), retryMs).unref()
    }
  }

  bus.subscribe(({ kind }) => {
    // The deletion of an account also deletes its role.
    if (kind === 'moderation-changed' || kind === 'users-changed') void reloadUntilDone()
  })
  const timer = setInterval(() => void reloadUntilDone(), reloadEveryMs).unref()

  return {
    current: () => current,
    /** Returns the time of the database's clock, by which restrictions end. */
    nowMs: () => now() + offsetMs,
    reload,
    onChange: (listener: ChangeListener) => void listeners.push(listener),
    stop(): void {
      isStopped = true
      clearInterval(timer)
      clearTimeout(retry)
    },
  }
}

export type ModerationState = Awaited<ReturnType<typeof openModerationState>>

/**
 * Returns the snapshot of a stored state. Builds the filter, which can take milliseconds, only if the words differ from the
 * previous ones.
 */
export function snapshotOf(
  { moderators, rules, announcement, words, restrictions }: StoredModeration,
  previous: ModerationSnapshot | null = null,
): ModerationSnapshot {
  const hasRules = Object.values(rules).some(Boolean)
  return {
    moderators: new Map(moderators.map(({ id, name }) => [id, name])),
    rules,
    announcement,
    words,
    filter: previous !== null && isDeepStrictEqual(previous.words, words) ? previous.filter : filterOf(words),
    restrictions: createRestrictionIndex(restrictions),
    isUnrestricted: !hasRules && words.length === 0 && restrictions.length === 0,
  }
}

const filterOf = (words: StoredModeration['words']) => (words.length === 0 ? null : createWordFilter(words))
