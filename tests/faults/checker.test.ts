import { expect, test } from 'vitest'
import { checkHistories } from './checker.ts'
import { effectiveWithoutFaults } from './check-restrictions.ts'
import type { HistoryEvent, History } from './history.ts'
import type { Restriction } from './restrictions.ts'
import { type ViolationKind, violationDescriptions } from './violations.ts'

type Timeline = [at: number, event: HistoryEvent][]

const log = 'log-1'
const open = (role: 'returning' | 'plain' = 'returning'): HistoryEvent => ({ type: 'opened', role })
const connected: HistoryEvent = { type: 'connected', transport: 'websocket' }
const cut: HistoryEvent = { type: 'disconnected', reason: 'transport close' }
const cursor = (seq: number, epoch = log): HistoryEvent => ({ type: 'cursor', epoch, seq })
const sent = (key: string): HistoryEvent => ({ type: 'sent', key, body: `body of ${key}`, attempt: 1 })
const acked = (key: string, seq: number): HistoryEvent => ({ type: 'acked', key, seq })
const got = (key: string, seq: number): HistoryEvent => ({
  type: 'received',
  key,
  body: `body of ${key}`,
  epoch: log,
  seq,
})

const history = (name: string, timeline: Timeline): History => ({
  name,
  events: timeline.map(([at, event]) => ({ at, ...event })),
})
const start: Timeline = [
  [0, open()],
  [1, connected],
  [2, cursor(0)],
]

/** History of a client that sends a/1 and a/2, gets an acknowledgement for each, and receives both. */
const alice = history('a', [
  ...start,
  [10, sent('a/1')],
  [12, acked('a/1', 1)],
  [12, got('a/1', 1)],
  [20, sent('a/2')],
  [22, acked('a/2', 2)],
  [22, got('a/2', 2)],
])
const both: Timeline = [
  [12, got('a/1', 1)],
  [22, got('a/2', 2)],
]
const bob = history('b', [...start, ...both])

const logOf = (...stored: [key: string, seq: number][]) =>
  history('log', [
    [50, { type: 'opened', role: 'log' }],
    ...stored.map(([key, seq]): Timeline[number] => [
      51,
      { type: 'stored', key, body: `body of ${key}`, epoch: log, seq },
    ]),
  ])

function check(...histories: History[]) {
  const { counts, ...result } = checkHistories(histories, { retainedMessages: 100 })
  const found = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  return { ...result, found: found as Partial<Record<ViolationKind, number>> }
}

type RestrictionTimes = Partial<Record<'restricted' | 'lifting' | 'lifted', number>>

/** Returns the history of a server with one restriction, which a moderator requests at time 5. */
const restriction = (given: Omit<Restriction, 'id'>, times: RestrictionTimes): History =>
  history('server', [
    [0, { type: 'opened', role: 'server' }],
    [5, { type: 'restricting', id: '1', ...given }],
    ...Object.entries(times).map(([type, at]): Timeline[number] => [
      at,
      { type: type as keyof RestrictionTimes, id: '1' },
    ]),
  ])

/** Returns the history of a client that sends a/1, which is acknowledged, and a/2, which is rejected. */
const rejectedBy = (code: string, more: Timeline = [[23, got('a/2', 2)]]): History =>
  history('a', [
    ...start,
    [10, sent('a/1')],
    [12, acked('a/1', 1)],
    [12, got('a/1', 1)],
    [20, sent('a/2')],
    [22, { type: 'rejected', key: 'a/2', code }],
    ...more,
  ])

test('DELIVERY-1 the checker finds no violation in a correct run and counts its events', () => {
  const result = check(alice, bob)
  expect(result.found).toEqual({})
  expect(result).toMatchObject({ hasViolations: false, sent: 2, acked: 2, delivered: 4, gaps: 0, resumes: 0 })
})

test('DELIVERY-3 the checker accepts a client that reconnects and receives the missed messages', () => {
  const returned = history('b', [
    ...start,
    [5, cut],
    [25, connected],
    [26, cursor(0)],
    [26, got('a/1', 1)],
    [26, got('a/2', 2)],
  ])
  expect(check(alice, returned).found).toEqual({})
})

test('DELIVERY-3 the checker accepts a new client that starts at the head and a plain client that misses messages while disconnected', () => {
  const fresh = history('c', [
    [15, open()],
    [16, connected],
    [17, cursor(1)],
    [22, got('a/2', 2)],
  ])
  const plain = history('d', [
    [0, open('plain')],
    [1, connected],
    [5, cut],
    [15, connected],
    [16, cursor(1)],
    [22, got('a/2', 2)],
  ])
  expect(check(alice, bob, fresh, plain).found).toEqual({})
})

test('DELIVERY-4 the checker accepts a gap larger than the retention, and the messages missing in it', () => {
  const far: Timeline = [
    [30, cut],
    [31, connected],
    [32, cursor(200)],
    [32, { type: 'gap', from: { epoch: log, seq: 2 }, to: { epoch: log, seq: 200 } }],
  ]
  const carol = history('c', [...start, [31, sent('c/1')], [31, acked('c/1', 150)]])
  const result = check(alice, history('b', [...start, ...both, ...far]), carol)
  expect(result.gaps).toBe(1)
  expect(result.examples.filter(({ client }) => client === 'b')).toEqual([])
})

test('DELIVERY-4 the checker accepts a late delivery inside a reported gap and reports one outside as overlap', () => {
  const late: Timeline = [
    [41, { type: 'dropped', epoch: log, seq: 2 }],
    [42, { type: 'dropped', epoch: log, seq: 1 }],
  ]
  const gap: Timeline[number] = [40, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: log, seq: 3 } }]
  expect(check(alice, history('b', [...start, ...both, gap, ...late])).found).toMatchObject({ overlap: 1 })
})

test('DELIVERY-4 the checker accepts a gap into a new epoch after a restore, and the messages missing in it', () => {
  const restored = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [30, { type: 'restored' }],
  ])
  const after = history('b', [
    ...start,
    [12, got('a/1', 1)],
    [15, cut],
    [40, connected],
    [41, cursor(1, 'log-2')],
    [41, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: 'log-2', seq: 1 } }],
  ])
  expect(check(alice, after, restored).found).toEqual({})
  expect(check(alice, after).found).toEqual({ needlessGap: 1 })
})

const restoredAt = (at: number) =>
  history('server', [
    [0, { type: 'opened', role: 'server' }],
    [at, { type: 'restored' }],
  ])

test('DELIVERY-4 the checker treats a second cursor on a connection as a gap, which only a restore justifies', () => {
  const plain = history('p', [
    [0, { type: 'opened', role: 'plain' }],
    [1, connected],
    [1, cursor(0)],
    [12, got('a/1', 1)],
    [22, got('a/2', 2)],
    [40, cursor(7, 'log-2')],
    [51, { type: 'received', key: 'c/1', body: 'body of c/1', epoch: 'log-2', seq: 8 }],
  ])
  const carol = history('c', [
    [0, { type: 'opened', role: 'returning' }],
    [45, connected],
    [45, cursor(7, 'log-2')],
    [50, sent('c/1')],
    [51, acked('c/1', 8)],
    [51, { type: 'received', key: 'c/1', body: 'body of c/1', epoch: 'log-2', seq: 8 }],
  ])
  const found = (...more: History[]) => check(plain, carol, ...more).examples.filter(({ client }) => client === 'p')
  expect(found(alice, restoredAt(30))).toEqual([])
  expect(found(alice).map(({ kind }) => kind)).toEqual(['needlessGap'])
})

test('DELIVERY-4 the checker accepts that a restored and trimmed log delivers a message to no client: the notice of a gap covers it', () => {
  const sender = history('a', [
    ...start,
    [10, sent('a/1')],
    [12, acked('a/1', 1)],
    [12, got('a/1', 1)],
    [38, cursor(0)],
    [38, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: log, seq: 0 } }],
    [40, sent('a/2')],
    [41, acked('a/2', 1)],
    [42, sent('a/3')],
    [43, acked('a/3', 2)],
    [44, cursor(1)],
    [44, { type: 'gap', from: { epoch: log, seq: 0 }, to: { epoch: log, seq: 1 } }],
    [45, got('a/3', 2)],
  ])
  const absent = history('b', [
    ...start,
    [12, got('a/1', 1)],
    [50, cursor(1)],
    [50, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: log, seq: 1 } }],
    [50, got('a/3', 2)],
  ])
  const retainedMessages = 1
  const histories = [sender, absent, restoredAt(30), logOf(['a/3', 2])]
  expect(checkHistories(histories, { retainedMessages }).examples).toEqual([])
})

test('DELIVERY-1 the checker accepts that a plain client joins after a message that was stored again at a lower seq', () => {
  const again = history('a', [
    ...start,
    [10, sent('a/1')],
    [12, acked('a/1', 2)],
    [12, got('a/1', 2)],
    [38, cursor(0)],
    [38, { type: 'gap', from: { epoch: log, seq: 2 }, to: { epoch: log, seq: 0 } }],
    [40, sent('a/1')],
    [42, acked('a/1', 1)],
    [42, got('a/1', 1)],
  ])
  const plain = history('p', [
    [15, open('plain')],
    [45, connected],
    [46, cursor(1)],
  ])
  expect(check(again, plain, restoredAt(30), logOf(['a/1', 1])).found).toEqual({})
})

test('DELIVERY-4 the checker treats each further cursor of a plain client as a gap after the previous one', () => {
  const plain = history('p', [
    [0, open('plain')],
    [1, connected],
    [1, cursor(0)],
    [12, got('a/1', 1)],
    [40, cursor(5, 'log-2')],
    [41, cursor(6, 'log-2')],
    [42, cursor(8, 'log-2')],
    [43, cursor(9, 'log-2')],
  ])
  const carol = history('c', [
    [35, open()],
    [36, connected],
    [36, cursor(9, 'log-2')],
  ])
  const sender = history('a', [...start, [10, sent('a/1')], [12, acked('a/1', 1)], [12, got('a/1', 1)]])
  const { examples } = checkHistories([sender, plain, carol, restoredAt(30)], { retainedMessages: 0 })
  expect(examples.filter(({ kind }) => kind === 'needlessGap')).toEqual([])
})

test('DELIVERY-4 the checker accepts a gap caused by messages that trimmed the log and were lost before any client knew of them', () => {
  const sender = history('a', [
    ...start,
    [10, sent('a/1')],
    [12, acked('a/1', 1)],
    [14, sent('a/2')],
    [20, connected],
    [20, cursor(1)],
    [20, { type: 'gap', from: { epoch: log, seq: 0 }, to: { epoch: log, seq: 1 } }],
    [40, acked('a/2', 2)],
    [40, got('a/2', 2)],
  ])
  const gaps = (...more: History[]) =>
    checkHistories([sender, logOf(['a/2', 2]), ...more], { retainedMessages: 2 }).counts.needlessGap
  expect(gaps(restoredAt(30))).toBe(0)
  expect(gaps()).toBe(1)
})

test('DELIVERY-4 the checker accepts a gap caused by a message that trimmed the log and was stored again at a lower seq', () => {
  const repeating = history('a', [
    ...start,
    [10, sent('a/1')],
    [38, cursor(0)],
    [38, { type: 'gap', from: { epoch: log, seq: 0 }, to: { epoch: log, seq: 0 } }],
    [40, sent('a/1')],
    [42, acked('a/1', 1)],
    [42, got('a/1', 1)],
  ])
  const returning = history('b', [
    ...start,
    [15, got('a/1', 3)],
    [20, connected],
    [20, cursor(1)],
    [20, { type: 'gap', from: { epoch: log, seq: 0 }, to: { epoch: log, seq: 1 } }],
  ])
  const { counts } = checkHistories([repeating, returning, restoredAt(30), logOf(['a/1', 1])], { retainedMessages: 2 })
  expect(counts.needlessGap).toBe(0)
})

test('DELIVERY-3 the checker accepts the repeat of a lost message to a new client, although the first delivery arrived after the restore', () => {
  const sender = history('a', [
    ...start,
    [28, sent('a/1')],
    [31, got('a/1', 1)],
    [35, cursor(0)],
    [35, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: log, seq: 0 } }],
    [40, sent('a/1')],
    [41, acked('a/1', 1)],
    [42, got('a/1', 1)],
  ])
  const fresh = history('c', [
    [33, open()],
    [34, connected],
    [36, cursor(0)],
    [42, got('a/1', 1)],
  ])
  expect(check(sender, fresh, restoredAt(30)).found).toEqual({})
  expect(check(sender, fresh, restoredAt(27)).found).toEqual({ replayed: 1 })
})

test('DELIVERY-1 the checker does not expect a message of the previous epoch in the log, even when its acknowledgement came late', () => {
  const last = history('log', [
    [90, { type: 'opened', role: 'log' }],
    [91, { type: 'stored', key: 'c/1', body: 'body of c/1', epoch: 'log-2', seq: 1 }],
  ])
  const senderIn = (epoch: string) =>
    history('c', [
      [0, { type: 'opened', role: 'returning' }],
      [1, connected],
      [1, cursor(0, epoch)],
      [10, sent('c/1')],
      [20, sent('c/2')],
      [60, acked('c/1', 1)],
      [60, acked('c/2', 2)],
    ])
  const missing = (...histories: History[]) => check(last, ...histories).found.missing ?? 0
  expect(missing(senderIn(log), restoredAt(30))).toBe(0)
  expect(missing(senderIn('log-2'), restoredAt(30))).toBe(1)
  expect(missing(senderIn(log))).toBe(1)
})

test('DELIVERY-2 the checker accepts the rejection of an expired repeat only beyond the retention', () => {
  const after = (seq: number): History =>
    history('c', [
      ...start,
      ...both,
      [30, { type: 'sent', key: 'c/1', body: 'body of c/1', attempt: 1, after: { epoch: log, seq } }],
      [50, { type: 'rejected', key: 'c/1', code: 'expired' }],
    ])
  const far = history('d', [...start, ...both, [31, sent('d/1')], [32, acked('d/1', 103)], [32, got('d/1', 103)]])
  const rejections = (found: Partial<Record<ViolationKind, number>>) => found.rejected
  expect(rejections(check(alice, bob, far, after(2)).found)).toBeUndefined()
  expect(rejections(check(alice, bob, far, after(3)).found)).toBe(1)
})

test('DELIVERY-1 the checker reports no latency violation while a fault is active', () => {
  const slow: Timeline = [
    [12, got('a/1', 1)],
    [6_100, got('a/2', 2)],
    [6_200, cursor(2)],
  ]
  const faulty = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [20, { type: 'fault', isActive: true }],
    [200, { type: 'fault', isActive: false }],
  ])
  expect(check(alice, history('b', [...start, ...slow]), faulty).found).toEqual({})
  const own: Timeline = [...start, [20, { type: 'fault', isActive: true }], ...slow]
  expect(
    check(
      alice,
      history(
        'b',
        own.toSorted(([a], [b]) => a - b),
      ),
    ).found,
  ).toEqual({})
})

test('DELIVERY-1 the checker accepts a log that the retention has trimmed', () => {
  expect(check(alice, bob, logOf(['a/2', 2])).found).toEqual({})
})

const removedAt25 = history('server', [
  [0, { type: 'opened', role: 'server' }],
  [24, { type: 'removing', key: 'a/1', body: 'body of a/1', epoch: log, seq: 1 }],
  [25, { type: 'removed', epoch: log, seq: 1 }],
])
const logAfterRemoval = history('log', [
  [50, { type: 'opened', role: 'log' }],
  [51, { type: 'stored', key: 'message', body: 'body of a removed one', epoch: log, seq: 1, removed: true }],
  [51, { type: 'stored', key: 'a/2', body: 'body of a/2', epoch: log, seq: 2 }],
])
const notified: Timeline[number] = [27, { type: 'removal', seqs: [1], removals: 1 }]
const aliceNotified = { ...alice, events: [...alice.events, { at: 27, ...notified[1] }] }
/** Returns the history of a client that reconnects after the removal and receives `first` and the second message. */
const returnedTo = (first: HistoryEvent) =>
  history('b', [...start, [3, cut], [30, cut], [31, connected], [32, cursor(0)], [33, first], [34, got('a/2', 2)]])

const masked: HistoryEvent = { type: 'received', key: 'message', body: 'x', epoch: log, seq: 1, removed: true }

test('MODERATION-7 the checker accepts a removed message that is delivered without its text', () => {
  expect(check(aliceNotified, returnedTo(masked), removedAt25, logAfterRemoval).found).toEqual({})
})

test('MODERATION-7 the checker accepts a removal of the message with the same seq in a restored log', () => {
  const removedInLostLog = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [24, { type: 'removing', key: 'z/9', body: 'body of z/9', epoch: 'lost', seq: 1 }],
    [25, { type: 'removed', epoch: 'lost', seq: 1 }],
  ])
  expect(check(aliceNotified, returnedTo(masked), removedInLostLog, logAfterRemoval).found.phantom).toBeUndefined()
  expect(check(aliceNotified, returnedTo(masked), logAfterRemoval).found.phantom).toBeGreaterThan(0)
  // No client receives the text, because the removal comes first. The acknowledgement identifies the message.
  const withoutText = (events: typeof alice.events) =>
    events.map((event) => (event.type === 'received' && event.key === 'a/1' ? { at: event.at, ...masked } : event))
  const aliceWithoutText = { ...alice, events: withoutText(alice.events) }
  expect(check(aliceWithoutText, returnedTo(masked), removedInLostLog, logAfterRemoval).found).toEqual({})
  // The sender receives no acknowledgement either, because it loses its connection.
  const withoutAck = aliceWithoutText.events.map((event) =>
    event.type === 'acked' && event.key === 'a/1' ? { at: 11, type: 'abandoned' as const, key: 'a/1' } : event,
  )
  const { found } = check({ ...alice, events: withoutAck }, returnedTo(masked), removedInLostLog, logAfterRemoval)
  expect(found.phantom).toBeUndefined()
})

/** Histories that contain one kind of violation and, apart from `others`, no other kind. */
const violationCases: { kind: ViolationKind; title: string; histories: History[]; others?: ViolationKind[] }[] = [
  {
    kind: 'lost',
    title: 'the last message is missing',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)]])],
  },
  {
    kind: 'lost',
    title: 'missing in the middle, over a reconnect',
    histories: [alice, history('b', [...start, [11, cut], [15, connected], [16, cursor(1)], [22, got('a/2', 2)]])],
  },
  {
    kind: 'lost',
    title: 'a plain client misses a message on its last connection',
    histories: [
      alice,
      history('p', [
        [0, open('plain')],
        [1, connected],
        [2, cursor(0)],
        [12, got('a/1', 1)],
      ]),
    ],
  },
  {
    kind: 'lost',
    title: 'without positions, as with stock Socket.IO',
    histories: [
      history('a', [
        [0, open()],
        [1, connected],
        [10, sent('a/1')],
        [12, { type: 'acked', key: 'a/1' }],
      ]),
    ],
  },
  {
    kind: 'partial',
    title: 'only one client receives an unacknowledged message',
    histories: [
      alice,
      history('b', [...start, ...both, [30, got('p/1', 3)]]),
      history('p', [
        [0, open('plain')],
        [25, sent('p/1')],
        [26, { type: 'abandoned', key: 'p/1' }],
      ]),
    ],
  },
  {
    kind: 'duplicate',
    title: 'the same message again after a reconnect',
    histories: [
      alice,
      history('b', [...start, ...both, [30, cut], [31, connected], [32, cursor(1)], [33, got('a/2', 2)]]),
    ],
  },
  {
    kind: 'duplicate',
    title: 'stored twice at two positions',
    histories: [alice, history('b', [...start, ...both, [23, got('a/2', 3)]])],
    others: ['mismatch'],
  },
  {
    kind: 'order',
    title: 'two concurrent messages, received in different orders',
    histories: [
      history('a', [...start, [10, sent('a/1')], [20, { type: 'acked', key: 'a/1' }]]),
      history('b', [...start, [10, sent('b/1')], [20, { type: 'acked', key: 'b/1' }]]),
      ...[
        ['a/1', 'b/1'],
        ['b/1', 'a/1'],
      ].map((keys, index) =>
        history(`c${index}`, [
          [0, open('plain')],
          ...keys.map((key): Timeline[number] => [20, { type: 'received', key, body: `body of ${key}` }]),
        ]),
      ),
    ],
    others: ['lost'],
  },
  {
    kind: 'inversion',
    title: 'two messages of one sender in the wrong order',
    histories: [
      history('a', [
        ...start,
        [10, sent('a/1')],
        [12, acked('a/1', 2)],
        [20, sent('a/2')],
        [22, acked('a/2', 1)],
        [23, got('a/2', 1)],
        [24, got('a/1', 2)],
      ]),
    ],
  },
  {
    kind: 'inversion',
    title: 'a message comes before one that was acknowledged before it was sent',
    histories: [
      history('a', [...start, [10, sent('a/1')], [12, acked('a/1', 2)], [23, got('b/1', 1)], [24, got('a/1', 2)]]),
      history('b', [...start, [20, sent('b/1')], [22, acked('b/1', 1)], [23, got('b/1', 1)], [24, got('a/1', 2)]]),
    ],
  },
  {
    kind: 'replayed',
    title: 'a new client receives an old message',
    histories: [
      alice,
      history('c', [
        [15, open()],
        [16, connected],
        [17, cursor(0)],
        [17, got('a/1', 1)],
        [22, got('a/2', 2)],
      ]),
    ],
  },
  {
    kind: 'mismatch',
    title: 'acknowledged at one position, delivered at another',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)], [22, got('a/2', 3)]])],
  },
  {
    kind: 'mismatch',
    title: 'a repeat is acknowledged at another position than the first attempt',
    histories: [
      history('a', [...start, [10, sent('a/1')], [12, acked('a/1', 1)], [13, acked('a/1', 2)], [14, got('a/1', 1)]]),
    ],
  },
  {
    kind: 'mismatch',
    title: 'two messages at one position',
    histories: [
      history('a', [...start, [10, sent('a/1')], [12, { type: 'acked', key: 'a/1' }], [13, got('a/1', 1)]]),
      history('b', [
        [14, open()],
        [15, connected],
        [16, cursor(0)],
        [20, sent('b/1')],
        [22, { type: 'acked', key: 'b/1' }],
        [23, got('b/1', 1)],
      ]),
    ],
    others: ['lost'],
  },
  {
    kind: 'phantom',
    title: 'a message that no client sent',
    histories: [alice, history('b', [...start, ...both, [30, got('z/1', 3)]])],
  },
  {
    kind: 'phantom',
    title: 'a message changed in transit',
    histories: [
      alice,
      history('b', [
        ...start,
        [12, got('a/1', 1)],
        [22, { type: 'received', key: 'a/2', body: 'other', epoch: log, seq: 2 }],
      ]),
    ],
  },
  {
    kind: 'needlessGap',
    title: 'a gap over messages that the log still holds',
    histories: [
      alice,
      history('b', [
        ...start,
        [5, cut],
        [25, connected],
        [26, cursor(2)],
        [26, { type: 'gap', from: { epoch: log, seq: 0 }, to: { epoch: log, seq: 2 } }],
      ]),
    ],
  },
  {
    kind: 'unreportedLoss',
    title: 'a client that continues without a gap after a loss that the server could prove',
    histories: [
      alice,
      bob,
      logOf(['a/1', 1]),
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [30, { type: 'restored', provenBy: 'server' }],
      ]),
    ],
  },
  {
    kind: 'needlessGap',
    title: 'a new epoch without a restore',
    histories: [
      alice,
      history('b', [
        ...start,
        ...both,
        [25, cut],
        [26, connected],
        [27, cursor(0, 'log-2')],
        [27, { type: 'gap', from: { epoch: log, seq: 2 }, to: { epoch: 'log-2', seq: 0 } }],
      ]),
    ],
  },
  {
    kind: 'silentGap',
    title: 'a plain client misses a message on a connection that is cut later',
    histories: [
      alice,
      history('p', [
        [0, open('plain')],
        [1, connected],
        [2, cursor(0)],
        [22, got('a/2', 2)],
        [30, cut],
        [31, connected],
        [32, cursor(2)],
      ]),
    ],
  },
  {
    kind: 'rejected',
    title: 'a repeat is rejected permanently',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'rejected', key: 'c/1', code: 'expired' }]]),
    ],
  },
  {
    kind: 'pending',
    title: 'never acknowledged',
    histories: [alice, bob, history('c', [...start, ...both, [30, sent('c/1')]])],
  },
  {
    kind: 'pending',
    title: 'rejected as unavailable and never acknowledged',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'rejected', key: 'c/1', code: 'unavailable' }]]),
    ],
  },
  {
    kind: 'crashed',
    title: 'the server exits with an error',
    histories: [
      alice,
      bob,
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [1, { type: 'crashed', exit: 'code 1' }],
      ]),
    ],
  },
  {
    kind: 'drainTimeout',
    title: 'a drain does not end in time',
    histories: [
      alice,
      bob,
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [1, { type: 'drain timeout', tookMs: 20_000 }],
      ]),
    ],
  },
  {
    kind: 'overlap',
    title: 'a connection repeats a message without a resume',
    histories: [alice, history('b', [...start, ...both, [23, { type: 'dropped', epoch: log, seq: 2 }]])],
  },
  {
    kind: 'resumeNeeded',
    title: 'a client must request a skipped message',
    histories: [alice, history('b', [...start, [11, { type: 'resume', epoch: log, seq: 0 }], ...both])],
  },
  {
    kind: 'undelivered',
    title: 'stored, neither acknowledged nor delivered',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'abandoned', key: 'c/1' }]]),
      logOf(['a/1', 1], ['a/2', 2], ['c/1', 3]),
    ],
  },
  {
    kind: 'missing',
    title: 'acknowledged and delivered, but not in the log',
    histories: [alice, bob, logOf(['a/1', 1])],
  },
  {
    kind: 'late',
    title: 'delivered six seconds after the acknowledgement, without a fault',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)], [6_100, got('a/2', 2)], [6_200, cursor(2)]])],
  },
  {
    kind: 'unacknowledged',
    title: 'no acknowledgement without a fault',
    histories: [
      alice,
      history('b', [
        ...start,
        ...both,
        [30, sent('b/1')],
        [9_000, { type: 'rejected', key: 'b/1', code: 'unavailable' }],
        [9_001, { type: 'abandoned', key: 'b/1' }],
        [9_002, cursor(2)],
      ]),
    ],
  },
  {
    kind: 'lowAckRatio',
    title: 'all messages of a client are abandoned',
    histories: [
      alice,
      history('d', [
        ...start,
        ...both,
        ...Array.from({ length: 60 }, (_, index): Timeline => {
          const key = `d/${index + 1}`
          return [
            [30 + index, sent(key)],
            [30.5 + index, { type: 'abandoned', key }],
          ]
        }).flat(),
      ]),
    ],
  },
  {
    kind: 'removedText',
    title: 'a client that returns receives the text, although it is notified',
    histories: [aliceNotified, returnedTo(got('a/1', 1)), removedAt25],
  },
  {
    kind: 'removedText',
    title: 'a client is not notified',
    histories: [aliceNotified, bob, removedAt25, logAfterRemoval],
  },
  {
    kind: 'removalNumber',
    title: 'a cursor has a lower number',
    histories: [
      aliceNotified,
      history('b', [
        ...start,
        ...both,
        notified,
        [27, { type: 'removal', seqs: [2], removals: 3 }],
        [28, cut],
        [29, connected],
        [30, { ...cursor(2), removals: 2 } as HistoryEvent],
      ]),
      removedAt25,
      logAfterRemoval,
    ],
  },
  {
    kind: 'restrictedDelivered',
    title: 'a muted client sends after the acknowledgement of the mute',
    histories: [alice, bob, restriction({ rule: 'mute', client: 'a' }, { restricted: 15, lifting: 40, lifted: 41 })],
  },
  {
    kind: 'rejectedDelivered',
    title: 'a rule rejects a message that the others receive',
    histories: [rejectedBy('not_allowed'), bob, restriction({ rule: 'read-only' }, { lifting: 40, lifted: 41 })],
  },
  {
    kind: 'rejected',
    title: 'a mute still rejects after its undo was acknowledged',
    histories: [
      rejectedBy('not_allowed', []),
      history('b', [...start, [12, got('a/1', 1)]]),
      restriction({ rule: 'mute', client: 'a' }, { restricted: 6, lifting: 7, lifted: 8 }),
    ],
  },
  {
    kind: 'revokedDelivered',
    title: 'a client sends with a login after the acknowledgement of its revocation',
    histories: [
      history('a', [
        ...start,
        [10, sent('a/1')],
        [12, acked('a/1', 1)],
        [12, got('a/1', 1)],
        [20, { ...sent('a/2'), token: 'token' } as HistoryEvent],
        [22, acked('a/2', 2)],
        [22, got('a/2', 2)],
      ]),
      bob,
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [13, { type: 'revoking', token: 'token' }],
        [15, { type: 'revoked', token: 'token' }],
      ]),
    ],
  },
  {
    kind: 'neverSent',
    title: 'no event follows after Send was pressed',
    histories: [alice, history('b', [...start, ...both, [30, { type: 'pressed', key: 'b/1' }]])],
  },
  {
    kind: 'presence',
    title: 'a disconnected client is still in the list',
    histories: [
      alice,
      bob,
      history('presence', [
        [0, { type: 'opened', role: 'server' }],
        [40, { type: 'wrong presence', observer: 'observer-lists', differences: ['still sees x'] }],
      ]),
    ],
  },
]

test('DELIVERY-1 after a rollback, the checker accepts that a client misses trimmed messages under seqs that it already has', () => {
  const at = (key: string, seq: number, term: string) => ({ ...got(key, seq), term }) as HistoryEvent
  const send = (key: string, from: number, seq: number): Timeline => [
    [from, sent(key)],
    [from + 1, acked(key, seq)],
  ]
  const lost: Timeline = [
    [12, at('a/1', 1, 'one.1.')],
    [17, at('a/2', 2, 'two.2.one')],
    [22, at('a/3', 3, 'three.3.two')],
  ]
  const sender = history('a', [...start, ...send('a/1', 10, 1), ...send('a/2', 15, 2), ...send('a/3', 20, 3)])
  // The rollback loses the branch of the log that the clients have. The client `b` returns after the retention has
  // trimmed the new branch.
  const notifiedAt = (time: number, seq: number): Timeline => [
    [time - 2, cut],
    [time - 1, connected],
    [time, cursor(seq)],
    [time, { type: 'gap', from: { epoch: log, seq: 3, term: 'three.3.two' }, to: { epoch: log, seq } }],
  ]
  const newBranch: Timeline = [
    [42, at('d/1', 2, 'four.2.one')],
    [44, at('d/2', 3, 'four.2.one')],
    [46, at('d/3', 4, 'four.2.one')],
  ]
  const present = history('d', [
    ...start,
    ...lost,
    ...notifiedAt(38, 1),
    ...[...send('d/1', 41, 2), ...send('d/2', 43, 3), ...send('d/3', 45, 4), ...newBranch].toSorted(
      ([a], [b]) => a - b,
    ),
  ])
  const absent = history('b', [...start, ...lost, ...notifiedAt(50, 3), [51, at('d/3', 4, 'four.2.one')]])
  const server = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [30, { type: 'restored', provenBy: 'clients' }],
  ])
  const stored = history('log', [
    [60, { type: 'opened', role: 'log' }],
    [61, { type: 'stored', key: 'd/3', body: 'body of d/3', epoch: log, seq: 4, term: 'four.2.one' }],
  ])
  const withoutDeliveries = {
    ...sender,
    events: [...sender.events, ...history('a', [...lost, ...notifiedAt(38, 1), ...newBranch]).events],
  }
  const histories = [
    { ...withoutDeliveries, events: withoutDeliveries.events.toSorted((a, b) => a.at - b.at) },
    absent,
    present,
    server,
    stored,
  ]
  expect(checkHistories(histories, { retainedMessages: 1 }).examples).toEqual([])
})

test('MODERATION-9 the checker accepts rejections by a mute', () => {
  const mute = restriction({ rule: 'mute', client: 'a' }, { restricted: 15, lifting: 40, lifted: 41 })
  const others = history('b', [...start, [12, got('a/1', 1)]])
  expect(check(rejectedBy('not_allowed', []), others, mute).found).toEqual({})
})

test('MODERATION-9 on a cluster, a restriction counts after a time without faults', () => {
  const faults = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [10, { type: 'fault', isActive: true }],
    [20, { type: 'fault', isActive: false }],
    [24, { type: 'fault', isActive: true }],
    [30, { type: 'fault', isActive: false }],
  ])
  const effectiveAt = effectiveWithoutFaults([faults], 5)
  expect([1, 8, 15, 26, 31].map(effectiveAt)).toEqual([6, 35, 35, 35, 36])
})

test.each(violationCases)('DELIVERY-1 the checker finds $kind: $title', ({ kind, histories, others = [] }) => {
  const result = check(...histories)
  expect(result.hasViolations).toBe(true)
  expect(Object.keys(result.found).toSorted()).toEqual([kind, ...others].toSorted())
  expect(result.examples.some((example) => example.kind === kind)).toBe(true)
})

test('DELIVERY-1 every kind of violation has a history in which the checker finds it', () => {
  expect([...new Set(violationCases.map(({ kind }) => kind))].toSorted()).toEqual(
    Object.keys(violationDescriptions).toSorted(),
  )
})

test('DELIVERY-1 the checker throws on an inconsistent history', () => {
  expect(() => check(history('a', [[0, connected]]))).toThrow(/'opened'/)
  expect(() =>
    check(
      history('a', [
        [0, open()],
        [1, acked('a/1', 1)],
      ]),
    ),
  ).toThrow(/never sent/)
})
