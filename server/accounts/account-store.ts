import type { ListedUser } from '../../contract/accounts.ts'

export interface Account {
  id: string
  name: string
}

export interface NewAccount {
  id: string
  name: string
  /** What names that differ only in case or look-alikes have in common; unique, and what a login is found by. */
  nameKey: string
  /** What names that look alike as they are written have in common; unique. */
  lookKey: string
  email: string
  emailKey: string
  passwordHash: string
}

/** Each login makes one; whoever logs in by the thousand loses the oldest. */
export const maxTokensPerAccount = 100

interface StoredToken {
  hash: string
  accountId: string
  expiresAtMs: number
}

/** Where accounts live. Every implementation passes `account-store.suite.ts`. */
export interface AccountStore {
  /** Stores the account and its first token together, or neither. */
  create(account: NewAccount, token: Omit<StoredToken, 'accountId'>): Promise<'created' | 'name_taken' | 'email_taken'>
  isNameTaken(keys: Pick<NewAccount, 'nameKey' | 'lookKey'>): Promise<boolean>
  findForLogin(nameKey: string): Promise<(Account & { passwordHash: string }) | null>
  /** Of the tokens of one account the newest are kept, `maxTokensPerAccount` of them; answers the others' hashes. */
  addToken(token: StoredToken): Promise<string[]>
  findByToken(hash: string, nowMs: number): Promise<Account | null>
  revokeToken(hash: string): Promise<void>
  deleteExpiredTokens(nowMs: number): Promise<void>
  /** Those who registered after this place in the order of registration, so many at most; the first place is 1. */
  listPage(afterOrder: number, maxUsers: number): Promise<{ order: number; user: ListedUser }[]>
  /** Rejects while accounts cannot be reached. */
  check(): Promise<void>
  close(): Promise<void>
}
