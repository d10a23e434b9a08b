import type { ListedUser } from '../../contract/accounts.ts'

export interface Account {
  id: string
  name: string
}

export interface NewAccount {
  id: string
  name: string
  /**
   * Key that is equal for names that differ only in case, width or look-alike characters. Each account has a different key.
   * A login finds the account by this key.
   */
  nameKey: string
  /** Key that is equal for names that look alike as written. Each account has a different key. */
  lookKey: string
  email: string
  emailKey: string
  passwordHash: string
}

/** Stored data of one account for `users export`, without secrets. */
export type ExportedAccount = Readonly<Record<string, string | number | null>>

/**
 * Maximum number of tokens of an account. The registration and each login create one. Above the maximum, the store deletes
 * the token that expires first, but never the new one.
 */
export const maxTokensPerAccount = 100

/**
 * Time for which the store keeps expired tokens. Each node closes the connections of an expired token within an hour. When
 * all tokens of an account are revoked before that, these connections close too, because the store still has the token.
 */
export const expiredTokenKeptMs = 2 * 3_600_000

/** Name and the keys under which it is unique. */
export type AccountNames = Pick<NewAccount, 'name' | 'nameKey' | 'lookKey'>

interface UserSearch {
  nameKey: string
  emailKey: string
}

/**
 * Time for which a name stays reserved after its account was renamed or deleted. Meanwhile, no other account can take it.
 */
interface Reservation {
  durationMs: number
  nowMs?: number
}

interface NewToken {
  hash: string
  accountId: string
  lifetimeMs: number
  nowMs?: number
}

/**
 * Storage of accounts and tokens. Tokens and reservations expire by the clock of the database, which all nodes share. In
 * tests, `nowMs` replaces this clock. Every implementation passes `account-store.suite.ts`.
 */
export interface AccountStore {
  /** Stores the account and its first token together, or neither. */
  create(account: NewAccount, token: Omit<NewToken, 'accountId'>): Promise<'created' | 'name_taken' | 'email_taken'>
  /** Returns whether an account other than `exceptId` has one of the keys, or one of them is reserved for another account. */
  isNameTaken(keys: Pick<NewAccount, 'nameKey' | 'lookKey'>, exceptId: string | null): Promise<boolean>
  findForLogin(nameKey: string): Promise<(Account & { passwordHash: string }) | null>
  /** Stores a token, and deletes other tokens of the account above `maxTokensPerAccount`. Returns the deleted hashes. */
  addToken(token: NewToken): Promise<string[]>
  findByToken(hash: string, nowMs?: number): Promise<Account | null>
  revokeToken(hash: string): Promise<void>
  /** Deletes tokens that expired more than `expiredTokenKeptMs` ago, and expired reservations of names. */
  deleteExpired(nowMs?: number): Promise<void>
  /**
   * Returns at most `maxUsers` users whose `order` is greater than `afterOrder`. Orders increase with each registration and
   * start at 1. With `search`, returns only users whose name key contains `search.nameKey`, or whose e-mail key contains
   * `search.emailKey`.
   */
  listPage(afterOrder: number, maxUsers: number, search?: UserSearch): Promise<{ order: number; user: ListedUser }[]>
  countUsers(): Promise<number>
  exportAccount(id: string): Promise<ExportedAccount | null>
  listTokens(accountId: string, nowMs?: number): Promise<{ hash: string; expiresAtMs: number }[]>
  /** Deletes all tokens of the account and returns their hashes. */
  revokeTokens(accountId: string): Promise<string[]>
  /** Sets the hash of the password. Returns whether the account exists. */
  setPasswordHash(accountId: string, passwordHash: string): Promise<boolean>
  /** Renames the account and reserves its old name. The tokens stay. */
  rename(
    accountId: string,
    names: AccountNames,
    reservation: Reservation,
  ): Promise<'renamed' | 'name_taken' | 'not_found'>
  /** Deletes the account and its tokens, and reserves its name. Returns the hashes of the tokens. */
  deleteAccount(accountId: string, reservation: Reservation): Promise<string[]>
  /** Checks the storage. Rejects while it is unavailable. */
  check(): Promise<void>
  close(): Promise<void>
}
