import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ClusterEvent, createLocalBus } from '../bus/cluster-bus.ts'
import { ignoreStoreCallbacks } from '../storage/sqlite/store-callbacks.suite.ts'
import { openSqliteAccountStore } from '../storage/sqlite/accounts/sqlite-account-store.ts'
import { type AccountAdmin, createAccountAdmin } from './account-admin.ts'
import type { Account } from './account-store.ts'
import { withoutPolicy } from './accounts.suite.ts'
import { createAccounts } from './accounts.ts'
import { createMemoryLoginLedger } from './login/login-ledger.ts'
import { createSessions } from './sessions/sessions.ts'

const bob = { name: 'bob', email: 'bob@example.org', password: 'a password' }
const address = '127.0.0.1'
/** Creates fake password functions without the cost of a real hash. `onVerified` runs after each check. */
function plainPasswords(onVerified: () => Promise<unknown> = async () => undefined) {
  return {
    hash: async (_client: unknown, password: string) => `hash of ${password}`,
    async verify(_client: unknown, passwordHash: string | null, password: string) {
      const matches = passwordHash === `hash of ${password}`
      await onVerified()
      return matches
    },
  }
}

async function openNode(onVerified?: () => Promise<unknown>) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-admin-'))
  const store = await openSqliteAccountStore(join(folder, 'accounts.sqlite'), ignoreStoreCallbacks)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const bus = createLocalBus()
  const published: ClusterEvent[] = []
  bus.subscribe((event) => published.push(event))
  const sessions = createSessions(store, bus)
  const passwords = plainPasswords(onVerified)
  const accounts = createAccounts({
    store,
    passwords,
    sessions,
    ledger: createMemoryLoginLedger(),
    policy: withoutPolicy,
  })
  const admin = createAccountAdmin({ store, passwords, sessions })
  const { token } = await accounts.register(bob, address)
  const logIn = (name: string, password = bob.password) => accounts.logIn({ name, password }, address)
  return { store, sessions, accounts, admin, published, token, logIn }
}

/** Writes no audit entry. */
const record = async () => undefined

test('MODERATION-21 deleting an account ends its sessions on every node, reserves its name and publishes the change of the user list', async () => {
  const { sessions, accounts, admin, published, token, logIn } = await openNode()
  await logIn('bob')
  await admin.remove(await admin.find('BOB'))
  expect(await sessions.authenticate(token)).toBeNull()
  // The account has two tokens. The revocation of each token is published before and after the deletion.
  const revocations = Array<string>(4).fill('token-revoked')
  expect(published.map(({ kind }) => kind)).toStrictEqual([...revocations, 'users-changed'])
  expect(await logIn('bob')).toStrictEqual({ stat: 'Failed' })
  await expect(admin.find('bob')).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('bob') })
  await expect(accounts.register({ ...bob, name: 'B0B' }, address)).rejects.toMatchObject({ code: 'name_taken' })
  await accounts.register({ ...bob, name: 'carol' }, address)
})

test('MODERATION-21 while revocations cannot be published, nothing is deleted or renamed, and a retry completes the deletion', async () => {
  const { store, admin } = await openNode()
  const away = createSessions(store, { ...createLocalBus(), publish: () => Promise.reject(new Error('away')) })
  const isolated = createAccountAdmin({ store, passwords: plainPasswords(), sessions: away })
  const account = await admin.find('bob')
  await expect(isolated.remove(account)).rejects.toThrow('away')
  await expect(isolated.rename(account, 'carol', record)).rejects.toThrow('away')
  expect(await admin.find('bob')).toStrictEqual(account)
  expect(await admin.listSessions(account)).toHaveLength(1)
  await admin.remove(account)
  await expect(admin.find('bob')).rejects.toThrow('no account')
})

test('MODERATION-22 a renamed account logs in under its new name only, and its sessions end', async () => {
  const { sessions, accounts, admin, published, token, logIn } = await openNode()
  const account = await admin.find('bob')
  expect(await admin.rename(account, ' Carol ', record)).toBe('Carol')
  expect(await sessions.authenticate(token)).toBeNull()
  expect(published.map(({ kind }) => kind)).toStrictEqual(['token-revoked', 'token-revoked', 'users-changed'])
  expect(await logIn('bob')).toStrictEqual({ stat: 'Failed' })
  expect(await logIn('carol')).toMatchObject({ stat: 'Success', name: 'Carol' })
  await accounts.register({ ...bob, name: 'eve', email: 'eve@example.org' }, address)
  for (const [name, code] of [
    ['eve', 'name_taken'],
    ['x'.repeat(65), 'invalid'],
    ['x'.repeat(10_000), 'invalid'],
    ['', 'invalid'],
    ['a\u200bb', 'invalid'],
  ] as const) {
    await expect(admin.rename(account, name, record)).rejects.toMatchObject({ code })
  }
  expect(await logIn('carol')).toMatchObject({ stat: 'Success' })
})

test('MODERATION-22 a rejected name ends no session; another spelling of the own name is allowed', async () => {
  const { sessions, accounts, admin, published, token } = await openNode()
  await accounts.register({ ...bob, name: 'eve', email: 'eve@example.org' }, address)
  const account = await admin.find('bob')
  published.length = 0
  for (const name of ['eve', 'EVE']) {
    await expect(admin.rename(account, name, record)).rejects.toMatchObject({ code: 'name_taken' })
  }
  expect(published).toStrictEqual([])
  expect(await sessions.authenticate(token)).toMatchObject({ account: { name: 'bob' } })
  expect(await admin.rename(account, 'Bob', record)).toBe('Bob')
})

test('MODERATION-22 a new password, given or generated, replaces the old one and ends all sessions', async () => {
  const { sessions, admin, token, logIn } = await openNode()
  const account = await admin.find('bob')
  expect(await admin.resetPassword(account, 'given', record)).toBeNull()
  expect(await sessions.authenticate(token)).toBeNull()
  expect(await logIn('bob')).toStrictEqual({ stat: 'Failed' })
  expect(await logIn('bob', 'given')).toMatchObject({ stat: 'Success' })
  const generated = await admin.resetPassword(account, null, record)
  expect(generated).toMatch(/^[\w-]{20}$/)
  expect(await admin.listSessions(account)).toStrictEqual([])
  expect(await logIn('bob', generated ?? '')).toMatchObject({ stat: 'Success' })
  for (const bad of ['', 'x'.repeat(1_025), '\ud800']) {
    await expect(admin.resetPassword(account, bad, record)).rejects.toMatchObject({ code: 'invalid' })
  }
})

type Change = (admin: AccountAdmin, account: Account) => Promise<unknown>
test.each<[string, Change]>([
  ['deleted', (admin, account) => admin.remove(account)],
  ['renamed', (admin, account) => admin.rename(account, 'eve', record)],
  ['given another password', (admin, account) => admin.resetPassword(account, 'x', record)],
])('MODERATION-22 a login whose password was checked before the account is %s fails', async (_name, change) => {
  let onVerified: () => Promise<unknown> = async () => undefined
  const node = await openNode(() => onVerified())
  const account = await node.admin.find('bob')
  onVerified = () => change(node.admin, account)
  expect(await node.logIn('bob')).toStrictEqual({ stat: 'Failed' })
  expect(await node.admin.listSessions(account)).toStrictEqual([])
})

test('MODERATION-10 a change is recorded before it takes effect, and not if it is rejected', async () => {
  const { accounts, admin, logIn } = await openNode()
  await accounts.register({ ...bob, name: 'eve', email: 'eve@example.org' }, address)
  const account = await admin.find('bob')
  const recorded: string[] = []
  const recordAs = (change: string) => async () => void recorded.push(change)
  for (const name of ['eve', '', 'x'.repeat(65)])
    await expect(admin.rename(account, name, recordAs(name))).rejects.toThrow()
  await expect(admin.resetPassword(account, '\ud800', recordAs('password'))).rejects.toThrow()
  expect(recorded).toStrictEqual([])
  const failing = async () => Promise.reject(new Error('no audit'))
  await expect(admin.rename(account, 'carol', failing)).rejects.toThrow('no audit')
  await expect(admin.resetPassword(account, 'other', failing)).rejects.toThrow('no audit')
  expect(await logIn('bob')).toMatchObject({ stat: 'Success' })
  await admin.rename(account, 'carol', recordAs('rename'))
  await admin.resetPassword(account, 'other', recordAs('password'))
  expect(recorded).toStrictEqual(['rename', 'password'])
})

test('MODERATION-23 users are searched by a part of the name in any case, or of the e-mail address', async () => {
  const { accounts, admin } = await openNode()
  await accounts.register({ ...bob, name: 'Alice B.', email: 'Wonder@example.org' }, address)
  const found = async (text: string | null) => (await admin.list(text, 0, 10)).map(({ user }) => user.name)
  expect(await found(null)).toStrictEqual(['bob', 'Alice B.'])
  expect(await found('ALICE b')).toStrictEqual(['Alice B.'])
  expect(await found('wonder@')).toStrictEqual(['Alice B.'])
  expect(await found('nobody')).toStrictEqual([])
  await expect(found('a\0b')).rejects.toMatchObject({ code: 'invalid' })
})
