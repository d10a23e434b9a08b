import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNodeLists, type NodeDelta, type NodeList, type Effect } from './node-lists.ts'

const delta = (from: number, version: number, joined: string[], left: string[] = []): NodeDelta => ({
  node: 'n',
  from,
  version,
  joined,
  left,
})

test('PRESENCE-2 the list of a new node is read, changes are applied in order, and after a gap the list is read again', () => {
  const lists = createNodeLists()
  expect(lists.applyDelta(delta(4, 5, ['b']))).toStrictEqual({ joined: [], left: [], read: ['n'] })
  expect(lists.applyList('n', { version: 5, ids: ['a', 'b'] })).toStrictEqual({
    joined: ['a', 'b'],
    left: [],
    read: [],
  })
  expect(lists.applyDelta(delta(4, 5, ['b']))).toStrictEqual({ joined: [], left: [], read: [] })
  expect(lists.applyDelta(delta(5, 6, ['c'], ['a']))).toStrictEqual({ joined: ['c'], left: ['a'], read: [] })
  expect(lists.applyDelta(delta(7, 8, ['e']))).toStrictEqual({ joined: [], left: [], read: ['n'] })
  expect(lists.behind()).toStrictEqual(['n'])
  expect(lists.applyList('n', { version: 7, ids: ['c', 'd'] })).toStrictEqual({ joined: ['d'], left: ['b'], read: [] })
  expect(lists.behind()).toStrictEqual(['n'])
  expect(lists.applyList('n', { version: 8, ids: ['c', 'd', 'e'] }).joined).toStrictEqual(['e'])
  expect(lists.behind()).toStrictEqual([])
})

test('PRESENCE-2 a node that a heartbeat does not list is removed, unless it was discovered after the heartbeat', () => {
  const lists = createNodeLists()
  lists.applyDelta(delta(0, 1, []))
  lists.applyList('n', { version: 1, ids: ['a'] })
  const heartbeat = lists.startHeartbeat()
  lists.applyDelta({ ...delta(0, 1, []), node: 'm' })
  lists.applyList('m', { version: 1, ids: ['b'] })
  expect(lists.applyHeartbeat(heartbeat, new Map())).toStrictEqual({ joined: [], left: ['a'], read: [] })
  expect(lists.applyHeartbeat(lists.startHeartbeat(), new Map()).left).toStrictEqual(['b'])
})

test('PRESENCE-2 after lost, late or repeated changes, a heartbeat and the reads it requests lead to the actual lists', () => {
  const step = fc.record({
    what: fc.constantFrom('change', 'lose', 'heartbeat', 'read', 'replace', 'stop'),
    node: fc.constantFrom('a', 'b', 'c'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const actual = new Map<string, { version: number; ids: Set<string> }>()
      const lists = createNodeLists()
      const shown = new Set<string>()
      const toRead = new Set<string>()
      let [lastId, restarts] = [0, 0]

      function show({ joined, left, read }: Effect): void {
        for (const id of joined) expect(shown.has(id)).toBe(false)
        for (const id of joined) shown.add(id)
        for (const id of left) expect(shown.delete(id)).toBe(true)
        for (const node of read) toRead.add(node)
      }
      function change(node: string): NodeDelta {
        const list = actual.get(node) ?? { version: 0, ids: new Set<string>() }
        actual.set(node, list)
        const from = list.version++
        const [left] = lastId % 2 === 0 ? list.ids : []
        if (left !== undefined) list.ids.delete(left)
        const joined = `${node} ${++lastId}`
        list.ids.add(joined)
        return { node, from, version: list.version, joined: [joined], left: left === undefined ? [] : [left] }
      }
      function listOf(node: string): NodeList | null {
        const list = actual.get(node)
        return list === undefined ? null : { version: list.version, ids: [...list.ids] }
      }
      function heartbeat(): void {
        const number = lists.startHeartbeat()
        show(lists.applyHeartbeat(number, new Map([...actual].map(([node, { version }]) => [node, version]))))
        for (const node of lists.behind()) toRead.add(node)
      }
      function readAll(): void {
        for (const node of toRead) show(lists.applyList(node, listOf(node)))
        toRead.clear()
      }

      for (const { what, node: name } of steps) {
        const node = `${name} ${restarts}`
        if (what === 'change') show(lists.applyDelta(change(node)))
        if (what === 'lose') change(node)
        if (what === 'heartbeat') heartbeat()
        if (what === 'read') readAll()
        if (what === 'replace') {
          const { from, version } = change(node)
          show(lists.applyDelta({ node, from, version }))
        }
        if (what === 'stop') {
          actual.delete(node)
          restarts++
        }
      }
      heartbeat()
      readAll()
      expect([...shown].toSorted()).toStrictEqual([...actual.values()].flatMap(({ ids }) => [...ids]).toSorted())
    }),
    { numRuns: 300 },
  )
})
