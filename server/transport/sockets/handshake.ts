import { Compile } from 'typebox/compile'
import { HandshakeAuth } from '../../../contract/handshake.ts'
import { Cursor } from '../../../contract/messages.ts'
import type { Channel } from '../../../contract/presence.ts'
import { type ConnectRejectionCode, connectRejectionCodes } from '../../../contract/rejections.ts'
import type { Session } from '../../accounts/sessions/sessions.ts'
import { serverErrorText } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { Report } from '../../observe/events.ts'
import type { RequestedPosition } from '../../room/deliver/subscriber.ts'
import { knownFieldsOf } from '../../room/known-fields.ts'

const isHandshakeAuth = Compile(HandshakeAuth)
const isCursor = Compile(Cursor)
/** Options of clients that use more than the specification: all except the token. */
const extensionKeys = (Object.keys(HandshakeAuth.properties) as (keyof HandshakeAuth)[]).filter(
  (key) => key !== 'token',
)

export interface Handshake {
  session: Session | null
  channel: Channel | null
  cursor: RequestedPosition
  wantsDeltas: boolean
  wantsRemovals: boolean
  /** Whether the client uses the protocol beyond the specification: positions, versions and additional events. */
  wantsPositions: boolean
}

export function readCursor(value: unknown): RequestedPosition {
  if (value === undefined || value === null) return 'head'
  return isCursor.Check(value) ? knownFieldsOf(value) : 'malformed'
}

/**
 * Reads the handshake's `auth`. Rejects a client whose token is wrong or cannot be checked: it must not become
 * anonymous.
 */
export async function readHandshake(
  auth: unknown,
  authenticate: (token: string) => Promise<Session | null>,
): Promise<Handshake> {
  if (!isHandshakeAuth.Check(auth)) {
    const [problem] = isHandshakeAuth.Errors(auth)
    const field = `auth${problem?.instancePath.replaceAll('/', '.') ?? ''}`
    throw new RejectionError<ConnectRejectionCode>(
      'invalid',
      `The handshake is malformed: ${field} ${problem?.message}.`,
    )
  }
  const { channel, token, cursor, deltas = false, removals = false } = auth
  const session = token === undefined ? null : await sessionOf(token, authenticate)
  return {
    session,
    channel: channel ?? null,
    cursor: readCursor(cursor),
    wantsDeltas: deltas,
    wantsRemovals: removals,
    // `deltas` has always implied positions, whatever its value.
    wantsPositions: extensionKeys.some((key) => auth[key] !== undefined && (auth[key] !== false || key === 'deltas')),
  }
}

async function sessionOf(token: string, authenticate: (token: string) => Promise<Session | null>): Promise<Session> {
  let session: Session | null
  try {
    session = await authenticate(token)
  } catch (error) {
    throw new RejectionError<ConnectRejectionCode>(
      'unavailable',
      'The login cannot be checked at the moment.',
      undefined,
      error,
    )
  }
  if (session === null) throw new RejectionError<ConnectRejectionCode>('unauthorized', 'The login is no longer valid.')
  return session
}

/**
 * Reports a rejected connection and creates its error. Socket.IO sends the `message` (the code) and `data` of the error
 * to the client.
 */
export function connectError(error: unknown, report: Report): Error {
  const rejection: RejectionError<ConnectRejectionCode> =
    error instanceof RejectionError && error.isOneOf(connectRejectionCodes)
      ? error
      : new RejectionError('unavailable', serverErrorText)
  report({ type: 'request-rejected', reason: `connect_${rejection.code}` })
  return Object.assign(new Error(rejection.code), { data: rejection.toRejection() })
}
