import { expect, test } from 'vitest'
import { RejectionError } from '../../base/rejection-error.ts'
import { readCursor, readHandshake } from './handshake.ts'

const alice = { account: { id: '1', name: 'alice' }, tokenHash: 'hash' }
const knows = async (token: string) => (token === 'right' ? alice : null)

async function rejectionCode(auth: unknown, authenticate: typeof knows): Promise<string> {
  try {
    await readHandshake(auth, authenticate)
    return 'let in'
  } catch (error) {
    return error instanceof RejectionError ? error.code : String(error)
  }
}

test('DELIVERY-3 everything in auth is optional: a plain client is anonymous and gets the events of both channels', async () => {
  expect(await readHandshake({}, knows)).toStrictEqual({
    session: null,
    channel: null,
    cursor: 'head',
    wantsDeltas: false,
    wantsPositions: false,
  })
})

test('DELIVERY-3 token, channel, cursor and deltas are read; unknown keys are no matter', async () => {
  const cursor = { epoch: 'e', seq: 3 }
  expect(
    await readHandshake({ token: 'right', channel: 'messages', cursor, deltas: true, more: 1 }, knows),
  ).toStrictEqual({ session: alice, channel: 'messages', cursor, wantsDeltas: true, wantsPositions: true })
})

test('DELIVERY-6 a token that is wrong is unauthorized, one that cannot be checked unavailable, and neither is let in', async () => {
  expect(await rejectionCode({ token: 'wrong' }, knows)).toBe('unauthorized')
  expect(await rejectionCode({ token: '' }, knows)).toBe('unauthorized')
  const failing = () => Promise.reject(new Error('the disk is gone'))
  expect(await rejectionCode({ token: 'right' }, failing)).toBe('unavailable')
})

test.each([
  [null],
  [5],
  ['text'],
  [{ token: 5 }],
  [{ token: null }],
  [{ token: 'x'.repeat(257) }],
  [{ channel: 'other' }],
  [{ channel: null }],
  [{ deltas: 'yes' }],
])('DELIVERY-6 the auth %j is invalid', async (auth) => {
  expect(await rejectionCode(auth, knows)).toBe('invalid')
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
])('DELIVERY-4 the cursor %j is malformed, which is a gap and no refusal', async (cursor) => {
  expect(readCursor(cursor)).toBe('malformed')
  expect((await readHandshake({ cursor }, knows)).cursor).toBe('malformed')
})

test('DELIVERY-3 no cursor, or null, is a fresh client', () => {
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
])('WIRE-1 positions are for those who asked for more than the specification: %j', async (auth, wanted) => {
  expect((await readHandshake(auth, knows)).wantsPositions).toBe(wanted)
})
