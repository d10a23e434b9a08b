import { expect, test } from 'vitest'
import { checkHistories } from './checker.ts'
import type { HistoryEvent, History } from './history.ts'
import { type ViolationKind, violationDescriptions } from './violations.ts'

type Story = [at: number, happening: HistoryEvent][]

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

const history = (name: string, story: Story): History => ({
  name,
  events: story.map(([at, happening]) => ({ at, ...happening })),
})
const start: Story = [
  [0, open()],
  [1, connected],
  [2, cursor(0)],
]

/** Sends a/1 and a/2, acknowledged in turn, and is shown both. */
const alice = history('a', [
  ...start,
  [10, sent('a/1')],
  [12, acked('a/1', 1)],
  [12, got('a/1', 1)],
  [20, sent('a/2')],
  [22, acked('a/2', 2)],
  [22, got('a/2', 2)],
])
const both: Story = [
  [12, got('a/1', 1)],
  [22, got('a/2', 2)],
]
const bob = history('b', [...start, ...both])

const logOf = (...stored: [key: string, seq: number][]) =>
  history('log', [
    [50, { type: 'opened', role: 'log' }],
    ...stored.map(([key, seq]): Story[number] => [
      51,
      { type: 'stored', key, body: `body of ${key}`, epoch: log, seq },
    ]),
  ])

function verdictOn(...histories: History[]) {
  const { counts, ...result } = checkHistories(histories, { retainedMessages: 100 })
  const found = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  return { ...result, found: found as Partial<Record<ViolationKind, number>> }
}

test('DELIVERY-1 the checker acquits an orderly run and counts it', () => {
  const result = verdictOn(alice, bob)
  expect(result.found).toEqual({})
  expect(result).toMatchObject({ guilty: false, sent: 2, acked: 2, delivered: 4, gaps: 0, resumes: 0 })
})

test('DELIVERY-3 the checker acquits a client that returns and is served what it missed', () => {
  const returned = history('b', [
    ...start,
    [5, cut],
    [25, connected],
    [26, cursor(0)],
    [26, got('a/1', 1)],
    [26, got('a/2', 2)],
  ])
  expect(verdictOn(alice, returned).found).toEqual({})
})

test('DELIVERY-3 the checker acquits a fresh page that stands at the head, and a plain client that missed something', () => {
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
  expect(verdictOn(alice, bob, fresh, plain).found).toEqual({})
})

test('DELIVERY-4 the checker acquits a gap that no log could have bridged, and what fell into it', () => {
  const far: Story = [
    [30, cut],
    [31, connected],
    [32, cursor(200)],
    [32, { type: 'gap', from: { epoch: log, seq: 2 }, to: { epoch: log, seq: 200 } }],
  ]
  const carol = history('c', [...start, [31, sent('c/1')], [31, acked('c/1', 150)]])
  const result = verdictOn(alice, history('b', [...start, ...both, ...far]), carol)
  expect(result.gaps).toBe(1)
  expect(result.examples.filter(({ client }) => client === 'b')).toEqual([])
})

test('DELIVERY-4 the checker acquits what comes after all although the client was told of a gap over it', () => {
  const late: Story = [
    [41, { type: 'dropped', epoch: log, seq: 2 }],
    [42, { type: 'dropped', epoch: log, seq: 1 }],
  ]
  const gap: Story[number] = [40, { type: 'gap', from: { epoch: log, seq: 1 }, to: { epoch: log, seq: 3 } }]
  expect(verdictOn(alice, history('b', [...start, ...both, gap, ...late])).found).toMatchObject({ overlap: 1 })
})

test('DELIVERY-4 the checker acquits a gap into another log after an older one was put back, and what fell into it', () => {
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
  expect(verdictOn(alice, after, restored).found).toEqual({})
  expect(verdictOn(alice, after).found).toEqual({ gap: 1 })
})

const restoredAt = (at: number) =>
  history('server', [
    [0, { type: 'opened', role: 'server' }],
    [at, { type: 'restored' }],
  ])

test('DELIVERY-4 the checker takes a new place on an open connection for a gap, which a wiped log excuses', () => {
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
  const found = (...more: History[]) => verdictOn(plain, carol, ...more).examples.filter(({ client }) => client === 'p')
  expect(found(alice, restoredAt(30))).toEqual([])
  expect(found(alice).map(({ kind }) => kind)).toEqual(['gap'])
})

test('DELIVERY-1 the checker does not miss in the last log what another one had acknowledged, however late it was heard', () => {
  const last = history('log', [
    [90, { type: 'opened', role: 'log' }],
    [91, { type: 'stored', key: 'c/1', body: 'body of c/1', epoch: 'log-2', seq: 1 }],
  ])
  const teller = (epoch: string) =>
    history('c', [
      [0, { type: 'opened', role: 'returning' }],
      [1, connected],
      [1, cursor(0, epoch)],
      [10, sent('c/1')],
      [20, sent('c/2')],
      [60, acked('c/1', 1)],
      [60, acked('c/2', 2)],
    ])
  const missing = (...histories: History[]) => verdictOn(last, ...histories).found.missing ?? 0
  expect(missing(teller(log), restoredAt(30))).toBe(0)
  expect(missing(teller('log-2'), restoredAt(30))).toBe(1)
  expect(missing(teller(log))).toBe(1)
})

test('DELIVERY-2 the checker acquits an expired repeat where so much was said since, and only there', () => {
  const after = (seq: number): History =>
    history('c', [
      ...start,
      ...both,
      [30, { type: 'sent', key: 'c/1', body: 'body of c/1', attempt: 1, after: { epoch: log, seq } }],
      [50, { type: 'refused', key: 'c/1', code: 'expired' }],
    ])
  const far = history('d', [...start, ...both, [31, sent('d/1')], [32, acked('d/1', 103)], [32, got('d/1', 103)]])
  const owedElsewhere = (found: Partial<Record<ViolationKind, number>>) => found.refused
  expect(owedElsewhere(verdictOn(alice, bob, far, after(2)).found)).toBeUndefined()
  expect(owedElsewhere(verdictOn(alice, bob, far, after(3)).found)).toBe(1)
})

test('DELIVERY-1 the checker charges nothing as late or unanswered where a fault was at work', () => {
  const slow: Story = [
    [12, got('a/1', 1)],
    [6_100, got('a/2', 2)],
    [6_200, cursor(2)],
  ]
  const faulty = history('server', [
    [0, { type: 'opened', role: 'server' }],
    [20, { type: 'disturbed', now: true }],
    [200, { type: 'disturbed', now: false }],
  ])
  expect(verdictOn(alice, history('b', [...start, ...slow]), faulty).found).toEqual({})
  const own: Story = [...start, [20, { type: 'disturbed', now: true }], ...slow]
  expect(
    verdictOn(
      alice,
      history(
        'b',
        own.toSorted(([a], [b]) => a - b),
      ),
    ).found,
  ).toEqual({})
})

test('DELIVERY-1 the checker acquits a log that the retention has cut short', () => {
  expect(verdictOn(alice, bob, logOf(['a/2', 2])).found).toEqual({})
})

/** For every charge, histories that are guilty of it and of nothing else. */
const guilty: { charge: ViolationKind; story: string; histories: History[]; others?: ViolationKind[] }[] = [
  {
    charge: 'lost',
    story: 'the last message is missing',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)]])],
  },
  {
    charge: 'lost',
    story: 'missing in the middle, over a reconnect',
    histories: [alice, history('b', [...start, [11, cut], [15, connected], [16, cursor(1)], [22, got('a/2', 2)]])],
  },
  {
    charge: 'lost',
    story: 'a plain client misses what was said on its last connection',
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
    charge: 'lost',
    story: 'without places, as stock Socket.IO has none',
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
    charge: 'torn',
    story: 'an unacknowledged message that only one client was shown',
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
    charge: 'doubled',
    story: 'the same message again after a reconnect',
    histories: [
      alice,
      history('b', [...start, ...both, [30, cut], [31, connected], [32, cursor(1)], [33, got('a/2', 2)]]),
    ],
  },
  {
    charge: 'doubled',
    story: 'stored twice under two places',
    histories: [alice, history('b', [...start, ...both, [23, got('a/2', 3)]])],
    others: ['mismatch'],
  },
  {
    charge: 'order',
    story: 'two messages that crossed, shown in either order',
    histories: [
      history('a', [...start, [10, sent('a/1')], [20, { type: 'acked', key: 'a/1' }]]),
      history('b', [...start, [10, sent('b/1')], [20, { type: 'acked', key: 'b/1' }]]),
      ...[
        ['a/1', 'b/1'],
        ['b/1', 'a/1'],
      ].map((keys, index) =>
        history(`c${index}`, [
          [0, open('plain')],
          ...keys.map((key): Story[number] => [20, { type: 'received', key, body: `body of ${key}` }]),
        ]),
      ),
    ],
    others: ['lost'],
  },
  {
    charge: 'inversion',
    story: 'a sender overtakes itself',
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
    charge: 'inversion',
    story: 'what was said later overtakes what was acknowledged before',
    histories: [
      history('a', [...start, [10, sent('a/1')], [12, acked('a/1', 2)], [23, got('b/1', 1)], [24, got('a/1', 2)]]),
      history('b', [...start, [20, sent('b/1')], [22, acked('b/1', 1)], [23, got('b/1', 1)], [24, got('a/1', 2)]]),
    ],
  },
  {
    charge: 'replayed',
    story: 'a fresh page is shown an old message',
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
    charge: 'mismatch',
    story: 'acknowledged at one place, shown at another',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)], [22, got('a/2', 3)]])],
  },
  {
    charge: 'mismatch',
    story: 'a repeat is told another place than the first attempt',
    histories: [
      history('a', [...start, [10, sent('a/1')], [12, acked('a/1', 1)], [13, acked('a/1', 2)], [14, got('a/1', 1)]]),
    ],
  },
  {
    charge: 'mismatch',
    story: 'one place holds two messages',
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
    charge: 'phantom',
    story: 'a message that nobody sent',
    histories: [alice, history('b', [...start, ...both, [30, got('z/1', 3)]])],
  },
  {
    charge: 'phantom',
    story: 'a message changed on its way',
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
    charge: 'gap',
    story: 'a gap over what the log still holds',
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
    charge: 'gap',
    story: 'another log in the same folder',
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
    charge: 'hole',
    story: 'a plain client misses one inside a connection that it lost later',
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
    charge: 'refused',
    story: 'a repeat is refused for good',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'refused', key: 'c/1', code: 'expired' }]]),
    ],
  },
  {
    charge: 'unsettled',
    story: 'never answered',
    histories: [alice, bob, history('c', [...start, ...both, [30, sent('c/1')]])],
  },
  {
    charge: 'unsettled',
    story: 'told to try again, and never answered after that',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'refused', key: 'c/1', code: 'unavailable' }]]),
    ],
  },
  {
    charge: 'crashed',
    story: 'the server fell over',
    histories: [
      alice,
      bob,
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [1, { type: 'crashed', how: 'code 1' }],
      ]),
    ],
  },
  {
    charge: 'overdue',
    story: 'a drain without end',
    histories: [
      alice,
      bob,
      history('server', [
        [0, { type: 'opened', role: 'server' }],
        [1, { type: 'overdue', tookMs: 20_000 }],
      ]),
    ],
  },
  {
    charge: 'overlap',
    story: 'a connection repeats what the client has, unasked',
    histories: [alice, history('b', [...start, ...both, [23, { type: 'dropped', epoch: log, seq: 2 }]])],
  },
  {
    charge: 'skipped',
    story: 'a client must ask for what was left out',
    histories: [alice, history('b', [...start, [11, { type: 'resume', epoch: log, seq: 0 }], ...both])],
  },
  {
    charge: 'unshown',
    story: 'stored, neither acknowledged nor shown',
    histories: [
      alice,
      bob,
      history('c', [...start, ...both, [30, sent('c/1')], [31, { type: 'abandoned', key: 'c/1' }]]),
      logOf(['a/1', 1], ['a/2', 2], ['c/1', 3]),
    ],
  },
  {
    charge: 'missing',
    story: 'acknowledged and shown, but not in the log',
    histories: [alice, bob, logOf(['a/1', 1])],
  },
  {
    charge: 'late',
    story: 'shown six seconds after it was acknowledged, on a calm connection',
    histories: [alice, history('b', [...start, [12, got('a/1', 1)], [6_100, got('a/2', 2)], [6_200, cursor(2)]])],
  },
  {
    charge: 'unanswered',
    story: 'no answer on a calm connection',
    histories: [
      alice,
      history('b', [
        ...start,
        ...both,
        [30, sent('b/1')],
        [9_000, { type: 'refused', key: 'b/1', code: 'unavailable' }],
        [9_001, { type: 'abandoned', key: 'b/1' }],
        [9_002, cursor(2)],
      ]),
    ],
  },
  {
    charge: 'starved',
    story: 'one in ten is refused for now and never sent again',
    histories: [
      alice,
      history('d', [
        ...start,
        ...both,
        ...Array.from({ length: 60 }, (_, index): Story => {
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
    charge: 'vanished',
    story: 'Send was pressed, and that was all',
    histories: [alice, history('b', [...start, ...both, [30, { type: 'pressed', key: 'b/1' }]])],
  },
  {
    charge: 'presence',
    story: 'somebody who has left is still in the list',
    histories: [
      alice,
      bob,
      history('presence', [
        [0, { type: 'opened', role: 'server' }],
        [40, { type: 'wrong presence', watcher: 'watcher-lists', differs: ['still sees x'] }],
      ]),
    ],
  },
]

test.each(guilty)('DELIVERY-1 the checker finds $charge: $story', ({ charge, histories, others = [] }) => {
  const result = verdictOn(...histories)
  expect(result.hasViolations).toBe(true)
  expect(Object.keys(result.found).toSorted()).toEqual([charge, ...others].toSorted())
  expect(result.examples.some((example) => example.kind === charge)).toBe(true)
})

test('DELIVERY-1 every charge has been seen to be found', () => {
  expect([...new Set(guilty.map(({ charge }) => charge))].toSorted()).toEqual(
    Object.keys(violationDescriptions).toSorted(),
  )
})

test('DELIVERY-1 the checker refuses histories that make no sense', () => {
  expect(() => verdictOn(history('a', [[0, connected]]))).toThrow(/opening/)
  expect(() =>
    verdictOn(
      history('a', [
        [0, open()],
        [1, acked('a/1', 1)],
      ]),
    ),
  ).toThrow(/never sent/)
})
