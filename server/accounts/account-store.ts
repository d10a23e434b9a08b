import type { ListedUser } from '../../contract/accounts.ts'

export interface Account {
  id: string
  name: string
}

export interface NewAccount {
  id: string
  name: string
  /** Equal for names that differ only in case or look-alike characters. Unique; a login finds the account by it. */
  nameKey: string
  /** Equal for names that look alike as written. Unique. */
  lookKey: string
  email: string
  emailKey: string
  passwordHash: string
}

/** Each login creates a token. Above this number, the oldest token of the account is deleted. */
export const maxTokensPerAccount = 100

interface NewToken {
  hash: string
  accountId: string
  lifetimeMs: number
  nowMs?: number
}

/**
 * Storage of accounts and tokens. Tokens expire by the clock of the database, which all nodes share; in tests, `nowMs`
 * replaces it. Every implementation passes `account-store.suite.ts`. */
export interface AccountStore {
  /** Stores the account and its first token together, or neither. */
  create(account: NewAccount, token: Omit<NewToken, 'accountId'>): Promise<'created' | 'name_taken' | 'email_taken'>
  isNameTaken(keys: Pick<NewAccount, 'nameKey' | 'lookKey'>): Promise<boolean>
  findForLogin(nameKey: string): Promise<(Account & { passwordHash: string }) | null>
  /** Stores a token, and deletes the oldest above `maxTokensPerAccount`. Returns the hashes of the deleted tokens. */
  addToken(token: NewToken): Promise<string[]>
  findByToken(hash: string, nowMs?: number): Promise<Account | null>
  revokeToken(hash: string): Promise<void>
  deleteExpiredTokens(nowMs?: number): Promise<void>
  /** Returns at most `maxUsers` users with a greater `order`. Orders increase with each registration and start at 1. */
  listPage(afterOrder: number, maxUsers: number): Promise<{ order: number; user: ListedUser }[]>
  /** Rejects while the storage is unavailable. */
  check(): Promise<void>
  close(): Promise<void>
}
