import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach } from 'vitest'
import type { AccountStore, NewAccount } from './account-store.ts'

/** Storage of one account store. A test can open the store more than once. */
export interface AccountStoreFixture {
  open(): Promise<AccountStore>
  remove(): void
}

export function account(name: string, change: Partial<NewAccount> = {}): NewAccount {
  const email = `${name}@example.org`
  const keys = { nameKey: name, lookKey: name, emailKey: email }
  return { id: randomUUID(), name, email, ...keys, passwordHash: `hash of ${name}`, ...change }
}

export const expiresAt = (expiresAtMs: number) => ({ nowMs: 0, lifetimeMs: expiresAtMs })
export const later = expiresAt(2_000)
export const tokenOf = (hash: string) => ({ hash, ...later })

export async function usersIn(store: AccountStore) {
  return (await store.listPage(0, 1_000)).map(({ user }) => user)
}

/** Opens a store before each test and closes it afterwards. Passes each opened store to `onOpened`, also after `reopen`. */
export function useAccountStore(createFixture: () => AccountStoreFixture, onOpened: (store: AccountStore) => void) {
  let fixture: AccountStoreFixture
  let store: AccountStore
  async function open(): Promise<void> {
    store = await fixture.open()
    onOpened(store)
  }
  beforeEach(async () => {
    fixture = createFixture()
    await open()
  })
  afterEach(async () => {
    await store.close()
    fixture.remove()
  })
  async function reopen(): Promise<void> {
    await store.close()
    await open()
  }
  return { reopen }
}
