import { putNewest } from '../base/newest-entries.ts'
import { isSharedNetwork } from './networks.ts'
import type { ModerationStore } from './moderation-store.ts'

/**
 * Minimum time between two writes of the same network of an account by one node. The limit `maxNotifications` applies
 * to the same period.
 */
const noteEveryMs = 3_600_000
const maxNoted = 20_000
/** Minimum interval between calls of `onNoted`: a client with many addresses must not cause an event for each of them. */
const notifyIntervalMs = 1_000
/**
 * Maximum number of calls of `onNoted` that one account causes per `noteEveryMs`. Later networks take effect at the next
 * periodic reload.
 */
export const maxNotifications = 20

interface AccountNetworksDeps {
  store: Pick<ModerationStore, 'noteNetwork'>
  /** Returns whether the account is restricted. The restriction then also covers the networks of the account. */
  isRestricted: (accountId: string) => boolean
  /**
   * Called after networks of restricted accounts were stored. One call covers all networks that were stored within
   * `notifyIntervalMs`.
   */
  onNoted: () => void
  now?: () => number
}

/** Stores which networks each account uses, so that a restriction of the account can cover them. */
export function createAccountNetworks({
  store,
  isRestricted,
  onNoted,
  now = () => performance.now(),
}: AccountNetworksDeps) {
  const noted = new Map<string, number>()
  /** Number of calls of `onNoted` that each account has caused since `sinceMs`. */
  const notified = new Map<string, { sinceMs: number; count: number }>()
  let timer: NodeJS.Timeout | null = null

  function scheduleNotification(accountId: string): void {
    if (timer !== null) return
    const known = notified.get(accountId)
    const { sinceMs, count } =
      known !== undefined && now() - known.sinceMs < noteEveryMs ? known : { sinceMs: now(), count: 0 }
    if (count >= maxNotifications) return
    putNewest(notified, accountId, { sinceMs, count: count + 1 }, maxNoted)
    timer = setTimeout(() => {
      timer = null
      onNoted()
    }, notifyIntervalMs).unref()
  }

  return {
    /** Records the network of an authenticated connection, unless unrelated users may share it. */
    note(accountId: string, network: string): void {
      if (isSharedNetwork(network)) return
      const key = `${accountId} ${network}`
      const notedAtMs = noted.get(key)
      if (notedAtMs !== undefined && now() - notedAtMs < noteEveryMs) return
      putNewest(noted, key, now(), maxNoted)
      store.noteNetwork(accountId, network).then(
        () => {
          if (isRestricted(accountId)) scheduleNotification(accountId)
        },
        // The next connection of the account from this network retries. The store reports its own outage.
        () => noted.delete(key),
      )
    },
    stop(): void {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
