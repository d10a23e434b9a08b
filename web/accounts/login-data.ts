import { loginDataKey } from '../../contract/constants.ts'
import type { RegistrationResponse } from '../../contract/accounts.ts'

let registeredName = ''

/** Returns the name that the user last registered since the page was loaded, for the login form; '' if there is none. */
export const lastRegisteredName = () => registeredName

/**
 * Stores the response to a sign-up. If the storage is disabled or full, logs the error instead of throwing it, because the
 * account exists anyway.
 */
export function storeLoginData(response: RegistrationResponse) {
  registeredName = response.name
  try {
    window.localStorage.setItem(loginDataKey, JSON.stringify(response))
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
    // Another script of this origin wrote the value.
    return null
  }
}

/**
 * Returns the token of the last registration in this browser; `null` if none is stored. The user may be logged in with
 * another account.
 */
export function registrationToken(): string | null {
  try {
    return parseToken(window.localStorage.getItem(loginDataKey))
  } catch {
    return null
  }
}
