import { expect, test } from 'vitest'
import { noRules } from '../../contract/constants.ts'
import type { RoomRules } from '../../contract/moderation.ts'
import { unknownAddress } from '../limits/addresses.ts'
import { containsLink } from './filter/links.ts'
import type { StoredModeration, StoredRestriction } from './moderation-store.ts'
import { snapshotOf } from './moderation-state.ts'
import { findConnectProblem, findMessageProblem, findRegistrationProblem, slowModeKey } from './policy.ts'

const nowMs = 1_000_000
const nothing: StoredModeration = {
  moderators: [],
  rules: noRules,
  announcement: null,
  words: [],
  restrictions: [],
  nowMs,
}
const home = '192.0.2.7'
const anonymous = { accountId: null, network: home }
const alice = { accountId: 'alice', network: home }
const hello = { username: 'bob (not loggedin)', message: 'hello' }

const restriction = (change: Partial<StoredRestriction>): StoredRestriction =>
  ({
    id: 'r',
    kind: 'ban',
    accountId: null,
    network: null,
    includesLoopback: false,
    name: 'bob',
    reason: null,
    endsAtMs: null,
    accountNetworks: [],
    ...change,
  }) as StoredRestriction
const restricted = (...restrictions: Partial<StoredRestriction>[]) =>
  snapshotOf({ ...nothing, restrictions: restrictions.map(restriction) })
const ruled = (rules: Partial<RoomRules>) =>
  snapshotOf({ ...nothing, rules: { ...noRules, ...rules }, moderators: [{ id: 'mod', name: 'mod' }] })
const problemOf = (...args: Parameters<typeof findMessageProblem>) => findMessageProblem(...args)?.toRejection() ?? null

test('MODERATION-16 without rules, words and restrictions nothing is checked', () => {
  expect(snapshotOf(nothing).isUnrestricted).toBe(true)
  for (const rules of [{ slowModeSeconds: 1 }, { accountsOnly: true }, { linksOff: true }, { readOnly: true }]) {
    expect(ruled(rules).isUnrestricted).toBe(false)
  }
  expect(restricted({ network: home }).isUnrestricted).toBe(false)
  expect(snapshotOf({ ...nothing, words: [{ word: 'spam', inside: false }] }).isUnrestricted).toBe(false)
})

test.each<[Partial<RoomRules>, string]>([
  [{ readOnly: true }, 'read-only'],
  [{ accountsOnly: true }, 'registered users'],
])('MODERATION-16 the rule %j rejects a message with the reason, unless the sender is a moderator', (rules, text) => {
  const rejected = { code: 'not_allowed', message: expect.stringContaining(text) as string }
  expect(problemOf(ruled(rules), nowMs, anonymous, hello)).toStrictEqual(rejected)
  expect(problemOf(ruled(rules), nowMs, { accountId: 'mod', network: home }, hello)).toBeNull()
  const ofAccount = problemOf(ruled(rules), nowMs, alice, hello)
  expect(ofAccount).toStrictEqual(rules.accountsOnly === true ? null : rejected)
})

test('MODERATION-16 words and links are rejected in the text and in the name of an anonymous sender', () => {
  const words = [{ word: 'spam', inside: false }]
  const snapshot = snapshotOf({ ...nothing, words, rules: { ...noRules, linksOff: true } })
  for (const change of [
    { message: 'buy spam' },
    { message: 'see http://example.org' },
    { username: 's.p.a.m (not loggedin)' },
    { username: 'www.example.org (not loggedin)' },
  ]) {
    expect(problemOf(snapshot, nowMs, anonymous, { ...hello, ...change })).toMatchObject({ code: 'not_allowed' })
  }
  expect(problemOf(snapshot, nowMs, anonymous, hello)).toBeNull()
  // The name of an account is not checked again: the account can be older than the word.
  expect(problemOf(snapshot, nowMs, alice, { ...hello, username: 'spam' })).toBeNull()
})

test.each([
  ['https://example.org', true],
  ['HTTP://EXAMPLE.ORG/x', true],
  ['see www.example.org', true],
  ['ｗｗｗ．example．org', true],
  ['exam\u200bple.com', true],
  ['example.com', true],
  ['bit.ly/abc', true],
  ['evil\u3002com', true],
  ['evil\uff61com', true],
  ['example.museum/path', true],
  ['ftp://files', true],
  ['well...okay', false],
  ['e.g. this, i.e. that', false],
  ['version 1.2.3', false],
  ['and/or', false],
  ['wwwhat', false],
  ['End.Start of a sentence', false],
  ['a: //', false],
])('MODERATION-16 whether %j contains a link: %s', (text, expected) => expect(containsLink(text)).toBe(expected))

test('MODERATION-16 slow mode counts a sender by account or network, and each connection from loopback', () => {
  expect(slowModeKey(alice, 'c1')).toBe(slowModeKey({ ...alice, network: 'other' }, 'c2'))
  expect(slowModeKey(anonymous, 'c1')).toBe(slowModeKey(anonymous, 'c2'))
  const local = { accountId: null, network: '127.0.0.1' }
  expect(slowModeKey(local, 'c1')).not.toBe(slowModeKey(local, 'c2'))
})

test('MODERATION-13 a restriction of an account covers the network of its message, even if no other network is known', () => {
  const snapshot = restricted({ kind: 'mute', accountId: 'alice', network: anonymous.network })
  expect(problemOf(snapshot, nowMs, anonymous, hello)).toMatchObject({ code: 'not_allowed' })
  expect(problemOf(snapshot, nowMs, alice, hello)).toMatchObject({ code: 'not_allowed' })
})

test('MODERATION-13 a restriction of an account does not cover the unknown address, also if an earlier version stored it', () => {
  const unknown = { accountId: null, network: unknownAddress }
  const snapshot = restricted({ accountId: 'alice', network: unknownAddress, accountNetworks: [unknownAddress] })
  expect(problemOf(snapshot, nowMs, unknown, hello)).toBeNull()
  expect(findConnectProblem(snapshot, nowMs, unknown, true)).toBeNull()
  expect(findRegistrationProblem(snapshot, nowMs, unknownAddress, 'bob')).toBeNull()
  expect(findConnectProblem(snapshot, nowMs, alice, true)).toMatchObject({ code: 'banned' })
})

test('MODERATION-17 a mute rejects messages with its reason and its end, until it ends', () => {
  const snapshot = restricted({ kind: 'mute', accountId: 'alice', reason: 'spam', endsAtMs: nowMs + 60_000 })
  expect(problemOf(snapshot, nowMs, alice, hello)).toStrictEqual({
    code: 'not_allowed',
    message: 'You are muted in this room. Reason: spam',
    retryAfterMs: 60_000,
  })
  expect(findConnectProblem(snapshot, nowMs, alice, true)).toBeNull()
  expect(problemOf(snapshot, nowMs + 60_000, alice, hello)).toBeNull()
  expect(problemOf(snapshot, nowMs, { accountId: 'bob', network: home }, hello)).toBeNull()
})

test('MODERATION-17 of several restrictions the one that lasts longest is reported', () => {
  const snapshot = restricted(
    { network: home, kind: 'mute', endsAtMs: nowMs + 1 },
    { network: home, kind: 'mute', reason: 'last', endsAtMs: null },
    { network: home, kind: 'mute', endsAtMs: nowMs + 2 },
  )
  expect(problemOf(snapshot, nowMs, anonymous, hello)).toStrictEqual({
    code: 'not_allowed',
    message: 'You are muted in this room. Reason: last',
  })
})

test('MODERATION-18 a ban of an account rejects its connections, and anonymous messaging from its networks', () => {
  const snapshot = restricted({ accountId: 'alice', accountNetworks: [home], endsAtMs: nowMs + 5 })
  const banned = { code: 'banned', retryAfterMs: 5 }
  for (const receivesMessages of [true, false]) {
    expect(findConnectProblem(snapshot, nowMs, { ...alice, network: 'any' }, receivesMessages)).toMatchObject(banned)
  }
  expect(findConnectProblem(snapshot, nowMs, anonymous, true)).toMatchObject(banned)
  expect(problemOf(snapshot, nowMs, anonymous, hello)).toMatchObject({ code: 'not_allowed' })
  expect(findConnectProblem(snapshot, nowMs, anonymous, false)).toBeNull()
  expect(findConnectProblem(snapshot, nowMs, { accountId: 'bob', network: home }, true)).toBeNull()
})

test('MODERATION-18 a ban of a network rejects anonymous messaging and registrations, but neither accounts nor presence', () => {
  const snapshot = restricted({ network: home })
  expect(findConnectProblem(snapshot, nowMs, anonymous, true)).toMatchObject({ code: 'banned' })
  expect(findRegistrationProblem(snapshot, nowMs, home, 'bob')).toMatchObject({ code: 'forbidden' })
  expect(findConnectProblem(snapshot, nowMs, anonymous, false)).toBeNull()
  expect(findConnectProblem(snapshot, nowMs, alice, true)).toBeNull()
  expect(findConnectProblem(snapshot, nowMs, { accountId: null, network: '192.0.2.8' }, true)).toBeNull()
  expect(findRegistrationProblem(restricted({ network: home, kind: 'mute' }), nowMs, home, 'bob')).toBeNull()
})

test('MODERATION-15 MODERATION-16 words and links that messages must not contain are rejected in names of accounts', () => {
  const codeOf = (snapshot: ReturnType<typeof snapshotOf>, name: string) =>
    findRegistrationProblem(snapshot, nowMs, home, name)?.code
  const filtered = snapshotOf({ ...nothing, words: [{ word: 'spam', inside: false }] })
  expect(codeOf(filtered, 's.p.a.m')).toBe('forbidden')
  expect(codeOf(filtered, 'bob')).toBeUndefined()
  expect(codeOf(ruled({ linksOff: true }), 'www.evil.com')).toBe('forbidden')
  expect(codeOf(ruled({}), 'www.evil.com')).toBeUndefined()
})

test.each([
  ['192.0.2.0/24', '192.0.2.9', '192.0.3.9'],
  ['2001:db8::/32', '2001:db8:1:2', '2001:db9:1:2'],
  ['10.0.0.0/8', '10.200.3.4', '11.0.0.1'],
])('MODERATION-18 a restriction of %s applies to %s and not to %s', (network, inside, outside) => {
  const snapshot = restricted({ network })
  for (const _ of [1, 2]) {
    expect(findConnectProblem(snapshot, nowMs, { accountId: null, network: inside }, true)).not.toBeNull()
    for (const other of [outside, 'unknown', '127.0.0.1']) {
      expect(findConnectProblem(snapshot, nowMs, { accountId: null, network: other }, true)).toBeNull()
    }
  }
})

test('MODERATION-18 an IPv6 range that an earlier version stored does not apply to IPv4 addresses', () => {
  for (const network of ['::/16', '::/63'])
    expect(findConnectProblem(restricted({ network }), nowMs, anonymous, true)).toBeNull()
})

test.each(['127.0.0.1', '0:0:0:0'])(
  'MODERATION-18 loopback (%s) is exempt unless the restriction includes it',
  (network) => {
    const local = { accountId: null, network }
    for (const [includesLoopback, expected] of [
      [false, null],
      [true, expect.anything()],
    ] as const) {
      const snapshots = [
        restricted({ network, includesLoopback }),
        restricted({ accountId: 'alice', accountNetworks: [network], includesLoopback }),
      ]
      for (const snapshot of snapshots) expect(findConnectProblem(snapshot, nowMs, local, true)).toEqual(expected)
    }
  },
)
