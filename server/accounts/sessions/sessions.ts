import type { ClusterBus, ClusterEvent } from '../../bus/cluster-bus.ts'
import { putNewest } from '../../base/newest-entries.ts'
import type { Account, AccountStore } from '../account-store.ts'
import { createEventPublisher } from './event-publisher.ts'
import { hashToken } from './tokens.ts'

export interface Session {
  account: Account
  tokenHash: string
}

/** A connection that was opened with a token. */
export interface TokenConnection {
  tokenHash: string
  close: () => void
}

type TokenStore = Pick<AccountStore, 'findByToken' | 'listTokens' | 'revokeToken'>

/** Time for which a verified token stays valid while the store is unavailable. It covers short network outages. */
const graceMs = 60_000
/** Maximum size of each cache. Above it, the oldest entries are evicted. */
export const maxCachedTokens = 20_000

/**
 * Resolves tokens to accounts. Clients can reconnect while the store is unavailable: a token stays valid for `graceMs`
 * after its last check or the end of its last connection. A revocation reaches every node over the cluster bus.
 * Each node then closes the connections of the token.
 */
export function createSessions(store: TokenStore, bus: ClusterBus, now: () => number = () => performance.now()) {
  const checked = new Map<string, { account: Account; atMs: number }>()
  const revoked = new Map<string, { atMs: number }>()
  const publisher = createEventPublisher(bus)
  const isRecent = (entry: { atMs: number } | undefined) => entry !== undefined && now() - entry.atMs < graceMs
  let connections: () => Iterable<TokenConnection> = () => []

  /** Returns whether the token was revoked recently. A lookup that started before the revocation may still succeed. */
  const isRevoked = (tokenHash: string) => isRecent(revoked.get(tokenHash))

  function closeConnections(closed: string): void {
    for (const { tokenHash, close } of connections()) if (tokenHash === closed) close()
  }

  bus.subscribe((event) => {
    switch (event.kind) {
      case 'token-revoked':
        // A revocation can be published twice. After the first event, no lookup of the token succeeds on this node.
        if (isRevoked(event.tokenHash)) break
        checked.delete(event.tokenHash)
        putNewest(revoked, event.tokenHash, { atMs: now() }, maxCachedTokens)
        closeConnections(event.tokenHash)
        break
      case 'users-changed':
        // `open-accounts.ts` handles this event.
        break
      case 'moderation-changed':
        // `moderation-state.ts` handles this event.
        break
      default:
        // The compiler rejects a kind of event without a case, so that each new kind gets a listener.
        event satisfies never
    }
  })

  async function accountOf(tokenHash: string): Promise<Account | null> {
    try {
      const account = await store.findByToken(tokenHash)
      if (account === null || isRevoked(tokenHash)) checked.delete(tokenHash)
      else putNewest(checked, tokenHash, { account, atMs: now() }, maxCachedTokens)
      return account
    } catch (error) {
      const known = checked.get(tokenHash)
      if (known === undefined || !isRecent(known)) throw error
      return known.account
    }
  }

  async function authenticate(token: string): Promise<Session | null> {
    const tokenHash = hashToken(token)
    const account = await accountOf(tokenHash)
    return account === null || isRevoked(tokenHash) ? null : { account, tokenHash }
  }

  /**
   * Publishes the revocation of tokens that the store has deleted, for a node that started after the first publication and
   * looked up a token before its deletion. If the bus is unavailable, publishes in the background: no message can be stored
   * meanwhile either.
   */
  async function publishDeleted(tokenHashes: readonly string[]): Promise<void> {
    try {
      for (const tokenHash of tokenHashes) await bus.publish({ kind: 'token-revoked', tokenHash })
    } catch {
      publishRevoked(tokenHashes)
    }
  }

  /** Publishes the revocation of tokens that the store has already deleted, as soon as the bus is available. */
  function publishRevoked(tokenHashes: readonly string[]): void {
    publisher.publish(tokenHashes.map((tokenHash): ClusterEvent => ({ kind: 'token-revoked', tokenHash })))
  }

  return {
    authenticate,
    isRevoked,

    /** Restarts the grace period of the token when one of its connections ends. */
    noteDisconnected(tokenHash: string): void {
      const known = checked.get(tokenHash)
      if (known !== undefined) putNewest(checked, tokenHash, { ...known, atMs: now() }, maxCachedTokens)
    },

    /**
     * Revokes a token. Returns `false` if the token is not valid. Publishes the revocation, then deletes the token, so that
     * a retry after a partial failure completes both. Then publishes the revocation again.
     */
    async revoke(token: string): Promise<boolean> {
      const tokenHash = hashToken(token)
      if ((await store.findByToken(tokenHash)) === null) return false
      await bus.publish({ kind: 'token-revoked', tokenHash })
      await store.revokeToken(tokenHash)
      await publishDeleted([tokenHash])
      return true
    },

    /**
     * Revokes all tokens of an account, and returns their number. `change` makes any other change of the account, then
     * deletes its tokens and returns their hashes. Like `revoke`, first publishes the revocation of each token that has
     * not expired.
     */
    async revokeAll(accountId: string, change: () => Promise<readonly string[]>): Promise<number> {
      const published = (await store.listTokens(accountId)).map(({ hash }) => hash)
      for (const tokenHash of published) await bus.publish({ kind: 'token-revoked', tokenHash })
      const deleted = await change()
      await publishDeleted(deleted)
      return deleted.length
    },

    publishRevoked,

    /** Publishes that accounts were deleted or changed, as soon as the bus is available. */
    publishUsersChanged: () => publisher.publish([{ kind: 'users-changed' }]),

    /** Sets the function that returns the connections of this node. They close when any node revokes their token. */
    setConnections(ofNode: () => Iterable<TokenConnection>): void {
      connections = ofNode
    },

    /** Closes the connections whose token has expired or was deleted. */
    async closeExpired(): Promise<void> {
      const inUse = new Set(Array.from(connections(), ({ tokenHash }) => tokenHash))
      for (const tokenHash of inUse) {
        if ((await store.findByToken(tokenHash)) !== null) continue
        checked.delete(tokenHash)
        closeConnections(tokenHash)
      }
    },

    stop: () => publisher.stop(),
  }
}

export type Sessions = ReturnType<typeof createSessions>
