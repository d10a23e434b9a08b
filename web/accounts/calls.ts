import type {
  LoginResponse,
  LoginRequest,
  RegistrationResponse,
  RegistrationRequest,
  UserList,
} from '../../contract/accounts.ts'
import type { CallRejection } from '../../contract/rejections.ts'
import { routes } from '../../contract/routes.ts'

/** Error for a response with an error status. The page can show the error's message to the user. */
export interface CallFailure extends Error {
  rejection: CallRejection | null
  /** Earliest time of a retry (`performance.now`); `null` if unknown. */
  retryAtMs: number | null
}

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof Error && 'rejection' in error && 'retryAtMs' in error
}

/** Returns the earliest time of a retry for a `Retry-After` header in seconds; `null` without the header or for a date. */
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
  return Object.assign(new Error(rejection?.message ?? `The server responded with status ${response.status}.`), {
    rejection,
    retryAtMs: retryAtMs(response.headers.get('Retry-After'), performance.now()),
  })
}

export async function call<Result>(path: string, init: RequestInit): Promise<Result> {
  const response = await fetch(path, init)
  if (!response.ok) throw await toCallFailure(response)
  // A response with status 204 has no body.
  return (response.status === 204 ? undefined : await response.json()) as Result
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  body: JSON.stringify(body),
})

export const register = (registration: RegistrationRequest) =>
  call<RegistrationResponse>(routes.register, json(registration))

export const logIn = (login: LoginRequest) => call<LoginResponse>(routes.login, json(login))

export const fetchUsers = (token: string, signal: AbortSignal) =>
  call<UserList>(routes.users, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
    signal,
  })
