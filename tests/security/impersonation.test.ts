import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anonymousSuffix } from '../../contract/constants.ts'
import { entryText } from '../../web/room/entry/entry-text.ts'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { isAnonymousLabel } from '../../contract/anonymous-label.ts'
import { normalizeName, findNameProblem } from '../../contract/names.ts'
import { lookKey, looksAnonymous } from '../../server/accounts/names/name-key.ts'
import { RejectionError } from '../../server/base/rejection-error.ts'
import { entryToStore } from '../../server/room/send/send-message.ts'
import { waitForConnect, collectSocketEvents } from '../support/socket-events.ts'
import { shareServer } from '../support/shared-server.ts'

const fragments = [
  'bob', 'Bob', 'b\u043eb', 'admin', 'x', ' ', '  ', '\u00a0', '\u3000', '\u2800', '\t', '\n', '\u2028',
  ':', ' : ', '\u02d0', '\ua789', '\u2236', '\uff1a', '\ufe55', '\u0703', '\u0903', '\u05c3', '\u29f4',
  '\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u202d', '\u2066', '\u2069', '\u061c', '\u00ad', '\ufe0f', '\u0307',
  '(not loggedin)', '(NOT LOGGEDIN)', '\uff08not loggedin\uff09', '(not', 'loggedin)', '(n\u03bft loggedin)', '(', ')', '[', ']',
  '[1/2/2026, 3:04:05 AM]', '\u2768not loggedin\u2769', '\u0000', '\u001b[31m', '\ud800', '\u{e0041}', 'a\u0336',
] // prettier-ignore
const typed = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 8 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
)

/** Returns the stored message of this payload, or `null` if it is rejected. */
function shownName(username: string, message: string): ChatMessage | null {
  try {
    return entryToStore({ username, message, createdTime: 1 }, undefined, null, () => undefined).message
  } catch (error) {
    if (error instanceof RejectionError) return null
    throw error
  }
}

/** Returns a key that is equal for lines that look alike, also if they differ in the kind or amount of white space. */
const lookOf = (line: string) => lookKey(line.replace(/[\s\u2800]+/gu, ' '))

/** Returns every name that a line appears to begin with: the text before anything that looks like " : ". */
function apparentNames(line: string): string[] {
  // Append visible text, because a message may be invisible.
  const look = lookOf(`${line.slice(line.indexOf('] ') + 2)} .`)
  return [...look.matchAll(/ : /g)].map(({ index }) => look.slice(0, index))
}

function isRegistrable(name: string): boolean {
  const normal = normalizeName(name)
  return findNameProblem(normal) === null && !looksAnonymous(normal)
}

test('SECURITY-1 no anonymous line looks like the line of a name that can be registered', () => {
  fc.assert(
    fc.property(typed, typed, (username, message) => {
      const shown = shownName(username, message)
      if (shown === null) return
      expect(isAnonymousLabel(shown.username)).toBe(true)
      const [name = ''] = apparentNames(entryText(shown))
      expect(name.endsWith(lookOf(anonymousSuffix))).toBe(true)
      expect(isRegistrable(name)).toBe(false)
    }),
    { numRuns: 5_000 },
  )
})

test('SECURITY-1 a registered name looks different from every anonymous label and every other account', () => {
  fc.assert(
    fc.property(typed, typed, (registered, username) => {
      const name = normalizeName(registered)
      const shown = shownName(username, 'hi')
      if (!isRegistrable(registered) || shown === null) return
      const line = lookOf(entryText({ username: name, message: 'hi', createdTime: 1 }))
      expect(line).not.toBe(lookOf(entryText(shown)))
      expect(apparentNames(line)[0]).toBe(lookOf(name))
      expect(isAnonymousLabel(name)).toBe(false)
    }),
    { numRuns: 5_000 },
  )
})

// Start the server after the tests above. They block the event loop, and an overloaded server rejects registrations.
describe('SECURITY-1 on a server', () => {
  const sharedServer = shareServer()

  test.each([
    ['adam', 'adam'],
    ['rob', 'ROB'],
    ['tom', 't\u043em'],
    ['ben', '\uff42\uff45\uff4e'],
    ['modern', 'rnodern'],
    ['Ian', 'lan'],
    ['Nick', '\u039dick'],
    ['pıerre', 'pierre'],
  ])('SECURITY-1 when %j is registered, %j is rejected as taken', async (first, second) => {
    const register = (name: string) =>
      sharedServer().call('/register', { name, email: `${randomUUID()}@example.org`, password: 'x' })
    expect((await register(first)).status).toBe(201)
    const response = await register(second)
    expect([response.status, await response.json()]).toMatchObject([409, { code: 'name_taken' }])
  })

  test.each([
    'bob (not loggedin)',
    'bob (n\u03bft l\u043eggedin)',
    '\u0430nonymous-not-loggedin',
    'bob : hi',
    'b\u202eob',
  ])('SECURITY-1 %j cannot be registered', async (name) => {
    const response = await sharedServer().call('/register', { name, email: 'a@b.c', password: 'x' })
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid' }])
  })

  test('SECURITY-1 a client without a token is shown with one suffix, whatever name it claims', async () => {
    const server = sharedServer()
    await server.call('/register', { name: 'bob', email: 'a@b.c', password: 'x' })
    const client = await waitForConnect(server.client())
    const received = collectSocketEvents<[ChatMessage]>(client, events.receiveMessage)
    const claims = [
      'bob',
      'bob (not loggedin)',
      'bob\u200b',
      'bob : hi',
      'bob (NOT\u2060LOGGEDIN) (not loggedin)',
      '\u202ebob',
    ]
    for (const username of claims) {
      await client.emitWithAck(events.sendMessage, {
        username,
        message: 'hi',
        createdTime: 1,
        account: 'bob',
        token: 'x',
      })
    }
    const names = (await received.atLeast(claims.length)).map(([{ username }]) => username)
    const bob = 'bob (not loggedin)'
    expect(names).toStrictEqual([bob, bob, bob, 'bob hi (not loggedin)', bob, bob])
  })
})
