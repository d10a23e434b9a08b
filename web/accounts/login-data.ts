import { loginDataKey } from '../../contract/constants.ts'
import type { Registered } from '../../contract/accounts.ts'

/** Stores the answer to a sign-up. Storage may be forbidden or full: the account exists all the same. */
export function storeLoginData(answer: Registered) {
  try {
    window.localStorage.setItem(loginDataKey, JSON.stringify(answer))
  } catch (error) {
    console.error(error)
  }
}

/** Returns the token in the stored text; `null` when there is none. */
export function parseToken(stored: string | null): string | null {
  if (stored === null) return null
  try {
    const data: unknown = JSON.parse(stored)
    if (typeof data !== 'object' || data === null || !('token' in data)) return null
    return typeof data.token === 'string' && data.token !== '' ? data.token : null
  } catch {
    // Another program has stored its own value under this key.
    return null
  }
}

/** Returns the stored token; `null` when there is none or storage is forbidden. */
export function storedToken(): string | null {
  try {
    return parseToken(window.localStorage.getItem(loginDataKey))
  } catch {
    return null
  }
}
