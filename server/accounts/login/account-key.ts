import type { LookupKeys } from '../names/find-account.ts'

declare const isAccountKey: unique symbol

/** Key by which the ledger counts the failed logins of an account. */
export type AccountKey = string & { readonly [isAccountKey]: true }

/**
 * Returns the key of the account with this name, even if the account does not exist. Every way to check a password uses
 * this key: the same account under another key, such as its e-mail address, would have further free failures. All names
 * that are too long for an account have one key.
 */
export const accountKey = (keys: LookupKeys | null) => (keys?.name ?? '') as AccountKey
