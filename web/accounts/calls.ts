import type { LoginAnswer, LoginRequest, Registered, Registration, UserList } from '../../contract/accounts.ts'
import type { CallRejection } from '../../contract/rejections.ts'
import { routes } from '../../contract/routes.ts'

/** Why a call failed. Its message is fit to be shown; what the server said is in `refusal`. */
export interface CallFailure extends Error {
  rejection: CallRejection | null
  /** From when on (on `performance`'s clock) it makes sense to try again, where the server said so. */
  retryAtMs: number | null
}

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof Error && 'rejection' in error && 'retryAtMs' in error
}

export function retryAtMs(retryAfter: string | null, nowMs: number): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  return Number.isFinite(seconds) ? nowMs + seconds * 1_000 : null
}

function asRejection(body: unknown): CallRejection | null {
  const isRejection = typeof body === 'object' && body !== null && 'code' in body && 'message' in body
  return isRejection ? (body as CallRejection) : null
}

async function toCallFailure(response: Response): Promise<CallFailure> {
  const rejection = asRejection(await response.json().catch(() => null))
  return Object.assign(new Error(rejection?.message ?? `The server answered ${response.status}.`), {
    rejection,
    retryAtMs: retryAtMs(response.headers.get('Retry-After'), performance.now()),
  })
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, init)
  if (!response.ok) throw await toCallFailure(response)
  return (await response.json()) as Answer
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  body: JSON.stringify(body),
})

export const register = (registration: Registration) => call<Registered>(routes.register, json(registration))

export const logIn = (login: LoginRequest) => call<LoginAnswer>(routes.login, json(login))

export const fetchUsers = (token: string, signal: AbortSignal) =>
  call<UserList>(routes.users, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    signal,
  })
