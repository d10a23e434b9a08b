import { loginDataKey } from '../../contract/constants.ts'
import type { Registered } from '../../contract/accounts.ts'

export function storeLoginData(answer: Registered) {
  window.localStorage.setItem(loginDataKey, JSON.stringify(answer))
}

/** The token in what was stored; `null` where nothing usable is. */
export function tokenIn(stored: string | null): string | null {
  if (stored === null) return null
  try {
    const data: unknown = JSON.parse(stored)
    if (typeof data !== 'object' || data === null || !('token' in data)) return null
    return typeof data.token === 'string' && data.token !== '' ? data.token : null
  } catch {
    // Not JSON is the same as not there: somebody else's value under our key.
    return null
  }
}

export const storedToken = () => tokenIn(window.localStorage.getItem(loginDataKey))
