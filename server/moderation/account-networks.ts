import { putNewest } from '../base/newest-entries.ts'
import { isLoopbackNetwork } from './networks.ts'
import type { ModerationStore } from './moderation-store.ts'

/** A node stores the use of a network at most once in this time. */
const noteEveryMs = 3_600_000
const maxNoted = 20_000

interface AccountNetworksDeps {
  store: Pick<ModerationStore, 'noteNetwork'>
  /** Called after a network was stored. */
  onNoted: (accountId: string) => void
  now?: () => number
}

/** Stores which networks each account uses, so that a restriction of the account can cover them. */
export function createAccountNetworks({ store, onNoted, now = () => performance.now() }: AccountNetworksDeps) {
  const noted = new Map<string, number>()
  return {
    /** Notes an authenticated connection. Loopback is exempt. */
    note(accountId: string, network: string): void {
      if (isLoopbackNetwork(network)) return
      const key = `${accountId} ${network}`
      const notedAtMs = noted.get(key)
      if (notedAtMs !== undefined && now() - notedAtMs < noteEveryMs) return
      putNewest(noted, key, now(), maxNoted)
      store.noteNetwork(accountId, network).then(
        () => onNoted(accountId),
        // The next connection of the account tries again. The store reports its own outage.
        () => noted.delete(key),
      )
    },
  }
}
