import { Compile } from 'typebox/compile'
import { HandshakeAuth } from '../../contract/handshake.ts'
import { Cursor } from '../../contract/messages.ts'
import type { Channel } from '../../contract/presence.ts'
import type { ConnectRefusalCode } from '../../contract/refusals.ts'
import type { Account } from '../accounts/account-store.ts'
import { RefusalError } from '../refusal-error.ts'

const isHandshakeAuth = Compile(HandshakeAuth)
const isCursor = Compile(Cursor)

export interface Handshake {
  account: Account | null
  channel: Channel | null
  cursor: AskedCursor
  wantsDeltas: boolean
}

/** What a client said about where it stands: nothing, or a place, or something that can be no place. */
export type AskedCursor = Cursor | 'malformed' | undefined

export function readCursor(value: unknown): AskedCursor {
  if (value === undefined || value === null) return undefined
  return isCursor.Check(value) ? value : 'malformed'
}

/** Reads the handshake's `auth`. A token that is wrong or cannot be checked never connects as anonymous. */
export async function readHandshake(
  auth: unknown,
  authenticate: (token: string) => Promise<Account | null>,
): Promise<Handshake> {
  if (!isHandshakeAuth.Check(auth))
    throw new RefusalError<ConnectRefusalCode>('invalid', 'The auth of the handshake is malformed.')
  const { channel = null, token, cursor, deltas = false } = auth
  const account = token === undefined ? null : await accountOf(token, authenticate)
  return { account, channel, cursor: readCursor(cursor), wantsDeltas: deltas }
}

async function accountOf(token: string, authenticate: (token: string) => Promise<Account | null>): Promise<Account> {
  let account: Account | null
  try {
    account = await authenticate(token)
  } catch (error) {
    throw new RefusalError<ConnectRefusalCode>('unavailable', 'The login cannot be checked just now.', undefined, error)
  }
  if (account === null) throw new RefusalError<ConnectRefusalCode>('unauthorized', 'The login is no longer valid.')
  return account
}
