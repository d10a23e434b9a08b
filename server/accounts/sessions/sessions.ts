import type { ClusterBus } from '../../bus/cluster-bus.ts'
import { putNewest } from '../../base/newest-entries.ts'
import type { Account, AccountStore } from '../account-store.ts'
import { hashToken } from './tokens.ts'

/** Who speaks, and by which token. */
export interface Session {
  account: Account
  tokenHash: string
}

/** Pages come back within seconds; a minute is for those on a train. */
const graceMs = 60_000
/** Of each kind; beyond it the oldest are forgotten. */
export const maxCachedTokens = 20_000

/**
 * Who a token speaks for. While the store is away, a token that was right a minute ago, or whose connection ended no
 * longer ago, still is: the room goes on, and whoever was in it comes back. A revoked one is told to every node, which
 * forgets it and ends what speaks by it.
 */
export function createSessions(store: AccountStore, bus: ClusterBus, now: () => number = () => performance.now()) {
  const checked = new Map<string, { account: Account; atMs: number }>()
  const revoked = new Map<string, { atMs: number }>()
  const isRecent = (entry: { atMs: number } | undefined) => entry !== undefined && now() - entry.atMs < graceMs
  let closeConnections: (tokenHash: string) => void = () => undefined

  bus.subscribe((event) => {
    switch (event.kind) {
      case 'token-revoked':
        checked.delete(event.tokenHash)
        putNewest(revoked, event.tokenHash, { atMs: now() }, maxCachedTokens)
        closeConnections(event.tokenHash)
        break
      default:
        // Add a case for a new kind of event: without a listener, it must not compile. (With a second kind, `event` itself
        // is `never` here.)
        event.kind satisfies never
    }
  })

  async function accountOf(tokenHash: string): Promise<Account | null> {
    try {
      const account = await store.findByToken(tokenHash, Date.now())
      if (account === null) checked.delete(tokenHash)
      else putNewest(checked, tokenHash, { account, atMs: now() }, maxCachedTokens)
      return account
    } catch (error) {
      const known = checked.get(tokenHash)
      if (known === undefined || !isRecent(known)) throw error
      return known.account
    }
  }

  /** For one who was let in just before: the lookup may have been under way when the token was revoked. */
  const isRevoked = (tokenHash: string) => isRecent(revoked.get(tokenHash))

  async function authenticate(token: string): Promise<Session | null> {
    const tokenHash = hashToken(token)
    const account = await accountOf(tokenHash)
    return account === null || isRevoked(tokenHash) ? null : { account, tokenHash }
  }

  return {
    authenticate,
    isRevoked,

    /** A connection by this token has ended: until then it was right. */
    noteDisconnected(tokenHash: string): void {
      const known = checked.get(tokenHash)
      if (known !== undefined) putNewest(checked, tokenHash, { ...known, atMs: now() }, maxCachedTokens)
    },

    /**
     * Returns false for a token without a session. Publishes the revocation, then deletes the token, so that a retry
     * after a partial failure completes both.
     */
    async revoke(token: string): Promise<boolean> {
      const tokenHash = hashToken(token)
      if ((await store.findByToken(tokenHash, Date.now())) === null) return false
      await bus.publish({ kind: 'token-revoked', tokenHash })
      await store.revokeToken(tokenHash)
      return true
    },

    /** Those that the store has dropped already. */
    async publishRevoked(tokenHashes: readonly string[]): Promise<void> {
      for (const tokenHash of tokenHashes) await bus.publish({ kind: 'token-revoked', tokenHash })
    },

    /** Called with each token that is revoked, on whatever node. */
    onRevoked(end: (tokenHash: string) => void): void {
      closeConnections = end
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
