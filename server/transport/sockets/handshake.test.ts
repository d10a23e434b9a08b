import { expect, test } from 'vitest'
import { RejectionError } from '../../base/rejection-error.ts'
import { readCursor, readHandshake } from './handshake.ts'

const alice = { account: { id: '1', name: 'alice' }, tokenHash: 'hash' }
const authenticateAlice = async (token: string) => (token === 'right' ? alice : null)

async function rejectionCode(auth: unknown, authenticate: typeof authenticateAlice): Promise<string> {
  try {
    await readHandshake(auth, authenticate)
    return 'accepted'
  } catch (error) {
    return error instanceof RejectionError ? error.code : String(error)
  }
}

test('DELIVERY-3 every option in auth is optional: a plain client is anonymous and gets the events of both channels', async () => {
  expect(await readHandshake({}, authenticateAlice)).toStrictEqual({
    session: null,
    channel: null,
    cursor: 'head',
    wantsDeltas: false,
    wantsRemovals: false,
    wantsPositions: false,
  })
})

test('DELIVERY-3 token, channel, cursor, deltas and removals are read; unknown keys are ignored', async () => {
  const cursor = { epoch: 'e', seq: 3 }
  expect(
    await readHandshake(
      { token: 'right', channel: 'messages', cursor, deltas: true, removals: true, more: 1 },
      authenticateAlice,
    ),
  ).toStrictEqual({
    session: alice,
    channel: 'messages',
    cursor,
    wantsDeltas: true,
    wantsRemovals: true,
    wantsPositions: true,
  })
})

test('DELIVERY-6 a wrong token is rejected as unauthorized, and a token that cannot be checked as unavailable', async () => {
  expect(await rejectionCode({ token: 'wrong' }, authenticateAlice)).toBe('unauthorized')
  expect(await rejectionCode({ token: '' }, authenticateAlice)).toBe('unauthorized')
  const failing = () => Promise.reject(new Error('the disk is gone'))
  expect(await rejectionCode({ token: 'right' }, failing)).toBe('unavailable')
})

test.each([
  [null, 'auth must be object'],
  [5, 'auth must be object'],
  ['text', 'auth must be object'],
  [{ token: 5 }, 'auth.token must be string'],
  [{ token: null }, 'auth.token must be string'],
  [{ token: 'x'.repeat(257) }, 'auth.token must not have more than 256 characters'],
  [{ channel: 'other' }, 'auth.channel must be equal to one of the allowed values'],
  [{ channel: null }, 'auth.channel must be equal to one of the allowed values'],
  [{ deltas: 'yes' }, 'auth.deltas must be boolean'],
  [{ removals: 'yes' }, 'auth.removals must be boolean'],
])('DELIVERY-6 the auth %j is invalid, and the rejection names the field: %s', async (auth, problem) => {
  expect(await rejectionCode(auth, authenticateAlice)).toBe('invalid')
  await expect(readHandshake(auth, authenticateAlice)).rejects.toThrow(`The handshake is malformed: ${problem}.`)
})

test.each([
  [5],
  ['x'],
  [{}],
  [{ epoch: 'e' }],
  [{ epoch: '', seq: 1 }],
  [{ epoch: 'e', seq: -1 }],
  [{ epoch: 'e', seq: 1.5 }],
  [[]],
])('DELIVERY-4 the malformed cursor %j is a gap, not a rejection', async (cursor) => {
  expect(readCursor(cursor)).toBe('malformed')
  expect((await readHandshake({ cursor }, authenticateAlice)).cursor).toBe('malformed')
})

test('BOUNDS-1 a cursor is kept without further fields, in the handshake and in resume', async () => {
  const cursor = { epoch: 'e', seq: 3, term: 't', removals: 2 }
  const large = { ...cursor, more: ['x'.repeat(1_000)] }
  expect(readCursor(large)).toStrictEqual(cursor)
  expect((await readHandshake({ cursor: large }, authenticateAlice)).cursor).toStrictEqual(cursor)
})

test('DELIVERY-3 a client without a cursor, or with null, starts at the head', () => {
  expect([readCursor(undefined), readCursor(null)]).toStrictEqual(['head', 'head'])
})

test.each([
  [{}, false],
  [{ token: 'right' }, false],
  [{ positions: false, more: 1 }, false],
  [{ positions: true }, true],
  [{ channel: 'messages' }, true],
  [{ channel: 'presence' }, true],
  [{ cursor: { epoch: 'e', seq: 1 } }, true],
  [{ cursor: 'malformed' }, true],
  [{ deltas: true }, true],
  [{ deltas: false }, true],
  [{ removals: true }, true],
  [{ removals: false }, false],
])('WIRE-1 only a client that asks for more than the specification gets positions: %j', async (auth, wanted) => {
  expect((await readHandshake(auth, authenticateAlice)).wantsPositions).toBe(wanted)
})
