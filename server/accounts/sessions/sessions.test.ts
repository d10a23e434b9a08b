import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ClusterBus, createLocalBus } from '../../bus/cluster-bus.ts'
import { maxTokensPerAccount } from '../account-store.ts'
import { createMemoryLoginLedger } from '../login/login-ledger.ts'
import { withoutPolicy } from '../accounts.suite.ts'
import { createAccounts } from '../accounts.ts'
import { createSessions } from './sessions.ts'
import { hashToken } from './tokens.ts'
import { ignoreStoreCallbacks } from '../../storage/sqlite/store-callbacks.suite.ts'
import { openSqliteAccountStore } from '../../storage/sqlite/accounts/sqlite-account-store.ts'

const bob = { name: 'bob', email: 'bob@example.org', password: 'a password' }
const passwords = { hash: async () => 'a hash', verify: async () => true }
const minuteMs = 60_000

/** Opens the accounts and sessions of one node with a fake clock, records the closed connections, and registers bob. */
async function openNode() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-sessions-'))
  const store = await openSqliteAccountStore(join(folder, 'accounts.sqlite'), ignoreStoreCallbacks)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  let nowMs = 1_000
  const bus = createLocalBus()
  const sessions = createSessions(store, bus, () => nowMs)
  const accounts = createAccounts({
    store,
    passwords,
    sessions,
    ledger: createMemoryLoginLedger(),
    policy: withoutPolicy,
  })
  const ended: string[] = []
  const connected: string[] = []
  sessions.setConnections(() => connected.map((tokenHash) => ({ tokenHash, close: () => ended.push(tokenHash) })))
  const { token } = await accounts.register(bob, '127.0.0.1')
  connected.push(hashToken(token))
  return { store, sessions, accounts, bus, ended, connected, token, pass: (ms: number) => (nowMs += ms) }
}

test('SESSIONS-1 logging out revokes the token, closes its connection once, and cannot be repeated', async () => {
  const { sessions, accounts, ended, token } = await openNode()
  const session = await sessions.authenticate(token)
  expect(session?.account.name).toBe('bob')
  await accounts.logOut(token, '127.0.0.1')
  expect(await sessions.authenticate(token)).toBeNull()
  expect(ended).toStrictEqual([session?.tokenHash])
  for (const none of [token, 'wrong', null]) {
    await expect(accounts.logOut(none, '127.0.0.1')).rejects.toMatchObject({ code: 'unauthorized' })
  }
  expect(ended).toHaveLength(1)
})

test('SESSIONS-1 a lookup that started before the revocation does not authenticate', async () => {
  const { sessions, bus, token } = await openNode()
  const tokenHash = (await sessions.authenticate(token))?.tokenHash ?? ''
  const underWay = sessions.authenticate(token)
  await bus.publish({ kind: 'token-revoked', tokenHash })
  expect(await underWay).toBeNull()
  expect(sessions.isRevoked(tokenHash)).toBe(true)
})

test('SESSIONS-1 a node that starts during a revocation, and looks the token up before its deletion, is notified too', async () => {
  const { store, sessions, bus, token } = await openNode()
  const started = Promise.withResolvers<ReturnType<typeof createSessions>>()
  const revoking = createSessions(
    {
      ...store,
      async revokeToken(tokenHash) {
        const late = createSessions(store, bus)
        expect(await late.authenticate(token)).not.toBeNull()
        started.resolve(late)
        await store.revokeToken(tokenHash)
      },
    },
    bus,
  )
  const tokenHash = (await sessions.authenticate(token))?.tokenHash ?? ''
  expect(await revoking.revoke(token)).toBe(true)
  expect((await started.promise).isRevoked(tokenHash)).toBe(true)
})

test('SESSIONS-1 a revocation that cannot be published changes nothing, and a retry completes it', async () => {
  const { store, sessions, token } = await openNode()
  const withoutBus = createSessions(store, { ...createLocalBus(), publish: () => Promise.reject(new Error('away')) })
  await expect(withoutBus.revoke(token)).rejects.toThrow('away')
  expect(await sessions.revoke(token)).toBe(true)
})

test('SESSIONS-1 a login above the maximum revokes the oldest token', async () => {
  const { accounts, sessions, ended, token } = await openNode()
  const oldest = (await sessions.authenticate(token))?.tokenHash
  for (let i = 1; i <= maxTokensPerAccount; i++) {
    expect(ended).toStrictEqual([])
    await accounts.logIn(bob, '127.0.0.1')
  }
  expect(ended).toStrictEqual([oldest])
})

test('SESSIONS-1 a login above the maximum succeeds while the bus is unavailable, and the oldest token is revoked later', async () => {
  const { store, accounts, bus, sessions, ended, token } = await openNode()
  const oldest = (await sessions.authenticate(token))?.tokenHash
  for (let i = 1; i < maxTokensPerAccount; i++) await accounts.logIn(bob, '127.0.0.1')
  let isAway = true
  const attempts: unknown[] = []
  const unreliable: ClusterBus = {
    ...bus,
    publish: (event) => (attempts.push(event), isAway ? Promise.reject(new Error('away')) : bus.publish(event)),
  }
  const onUnreliableBus = createSessions(store, unreliable)
  onTestFinished(() => onUnreliableBus.stop())
  const ledger = createMemoryLoginLedger()
  const node = createAccounts({ store, passwords, sessions: onUnreliableBus, ledger, policy: withoutPolicy })
  expect(await node.logIn(bob, '127.0.0.1')).toMatchObject({ stat: 'Success' })
  expect(await sessions.authenticate(token)).toBeNull()
  await expect.poll(() => attempts.length).toBeGreaterThan(1)
  expect(ended).toStrictEqual([])
  isAway = false
  await expect.poll(() => ended).toStrictEqual([oldest])
})

test('SESSIONS-1 a check of the connections closes only those of expired tokens', async () => {
  const { store, sessions, ended, connected, token } = await openNode()
  const accountId = (await sessions.authenticate(token))?.account.id ?? ''
  await store.addToken({ hash: 'expired', accountId, lifetimeMs: -1 })
  connected.push('expired')
  await sessions.closeExpired()
  expect(ended).toStrictEqual(['expired'])
})

test('SESSIONS-2 a token that has expired has no grace period', async () => {
  const { store, sessions, connected, token } = await openNode()
  const accountId = (await sessions.authenticate(token))?.account.id ?? ''
  const tokenHash = hashToken('short')
  await store.addToken({ hash: tokenHash, accountId, lifetimeMs: 500 })
  expect(await sessions.authenticate('short')).not.toBeNull()
  connected.push(tokenHash)
  await expect.poll(() => store.findByToken(tokenHash)).toBeNull()
  await sessions.closeExpired()
  sessions.noteDisconnected(tokenHash)
  await store.close()
  await expect(sessions.authenticate('short')).rejects.toThrow()
})

test('SESSIONS-2 a lookup between the revocation and the deletion of a token starts no grace period', async () => {
  const { store, sessions, bus, token, pass } = await openNode()
  const tokenHash = hashToken(token)
  await bus.publish({ kind: 'token-revoked', tokenHash })
  expect(await sessions.authenticate(token)).toBeNull()
  pass(minuteMs - 1)
  sessions.noteDisconnected(tokenHash)
  pass(1)
  await store.close()
  await expect(sessions.authenticate(token)).rejects.toThrow()
})

test('SESSIONS-2 while the store is unavailable, a token that was checked stays valid for a minute; another token does not', async () => {
  const { store, sessions, accounts, token, pass } = await openNode()
  const login = await accounts.logIn(bob, '127.0.0.1')
  const never = 'token' in login ? login.token : ''
  const session = await sessions.authenticate(token)
  await store.close()
  pass(minuteMs - 1)
  expect(await sessions.authenticate(token)).toStrictEqual(session)
  await expect(sessions.authenticate(never)).rejects.toThrow()
  pass(1)
  await expect(sessions.authenticate(token)).rejects.toThrow()
})

test('SESSIONS-2 the minute starts when the last connection of the token ends', async () => {
  const { store, sessions, token, pass } = await openNode()
  const session = await sessions.authenticate(token)
  pass(60 * minuteMs)
  await store.close()
  sessions.noteDisconnected(session?.tokenHash ?? '')
  pass(minuteMs - 1)
  expect(await sessions.authenticate(token)).toStrictEqual(session)
})

test('SESSIONS-2 a token that was revoked or deleted has no grace period', async () => {
  const revoked = await openNode()
  const session = await revoked.sessions.authenticate(revoked.token)
  await revoked.bus.publish({ kind: 'token-revoked', tokenHash: session?.tokenHash ?? '' })
  revoked.sessions.noteDisconnected(session?.tokenHash ?? '')
  await revoked.store.close()
  await expect(revoked.sessions.authenticate(revoked.token)).rejects.toThrow()
  const deleted = await openNode()
  const hash = (await deleted.sessions.authenticate(deleted.token))?.tokenHash ?? ''
  await deleted.store.revokeToken(hash)
  expect(await deleted.sessions.authenticate(deleted.token)).toBeNull()
  await deleted.store.close()
  await expect(deleted.sessions.authenticate(deleted.token)).rejects.toThrow()
})
