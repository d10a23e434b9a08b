import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNodeLists, type NodeDelta, type NodeList, type Outcome } from './node-lists.ts'

const delta = (from: number, version: number, joined: string[], left: string[] = []): NodeDelta => ({
  node: 'n',
  from,
  version,
  joined,
  left,
})

test('PRESENCE-2 a stranger’s list is read, its changes are applied in their order, and a gap reads it again', () => {
  const lists = createNodeLists()
  expect(lists.heard(delta(4, 5, ['b']))).toStrictEqual({ joined: [], left: [], read: ['n'] })
  expect(lists.wasRead('n', { version: 5, ids: ['a', 'b'] })).toStrictEqual({ joined: ['a', 'b'], left: [], read: [] })
  expect(lists.heard(delta(4, 5, ['b']))).toStrictEqual({ joined: [], left: [], read: [] })
  expect(lists.heard(delta(5, 6, ['c'], ['a']))).toStrictEqual({ joined: ['c'], left: ['a'], read: [] })
  expect(lists.heard(delta(7, 8, ['e']))).toStrictEqual({ joined: [], left: [], read: ['n'] })
  expect(lists.behind()).toStrictEqual(['n'])
  expect(lists.wasRead('n', { version: 7, ids: ['c', 'd'] })).toStrictEqual({ joined: ['d'], left: ['b'], read: [] })
  expect(lists.behind()).toStrictEqual(['n'])
  expect(lists.wasRead('n', { version: 8, ids: ['c', 'd', 'e'] }).joined).toStrictEqual(['e'])
  expect(lists.behind()).toStrictEqual([])
})

test('PRESENCE-2 who is not among the living is gone, but not who came after they were counted', () => {
  const lists = createNodeLists()
  lists.heard(delta(0, 1, []))
  lists.wasRead('n', { version: 1, ids: ['a'] })
  const beat = lists.beatSent()
  lists.heard({ ...delta(0, 1, []), node: 'm' })
  lists.wasRead('m', { version: 1, ids: ['b'] })
  expect(lists.beatAnswered(beat, new Map())).toStrictEqual({ joined: [], left: ['a'], read: [] })
  expect(lists.beatAnswered(lists.beatSent(), new Map()).left).toStrictEqual(['b'])
})

test('PRESENCE-2 whatever is lost, late or repeated on the way, a beat and what it makes read lead to the truth', () => {
  const step = fc.record({
    what: fc.constantFrom('change', 'lose', 'beat', 'read', 'replace', 'die'),
    node: fc.constantFrom('a', 'b', 'c'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const truth = new Map<string, { version: number; ids: Set<string> }>()
      const lists = createNodeLists()
      const shown = new Set<string>()
      const toRead = new Set<string>()
      let [lastId, lives] = [0, 0]

      function show({ joined, left, read }: Outcome): void {
        for (const id of joined) expect(shown.has(id)).toBe(false)
        for (const id of joined) shown.add(id)
        for (const id of left) expect(shown.delete(id)).toBe(true)
        for (const node of read) toRead.add(node)
      }
      function change(node: string): NodeDelta {
        const list = truth.get(node) ?? { version: 0, ids: new Set<string>() }
        truth.set(node, list)
        const from = list.version++
        const [left] = lastId % 2 === 0 ? list.ids : []
        if (left !== undefined) list.ids.delete(left)
        const joined = `${node} ${++lastId}`
        list.ids.add(joined)
        return { node, from, version: list.version, joined: [joined], left: left === undefined ? [] : [left] }
      }
      function listOf(node: string): NodeList | null {
        const list = truth.get(node)
        return list === undefined ? null : { version: list.version, ids: [...list.ids] }
      }
      function beat(): void {
        const sent = lists.beatSent()
        show(lists.beatAnswered(sent, new Map([...truth].map(([node, { version }]) => [node, version]))))
        for (const node of lists.behind()) toRead.add(node)
      }
      function readAll(): void {
        for (const node of toRead) show(lists.wasRead(node, listOf(node)))
        toRead.clear()
      }

      for (const { what, node: name } of steps) {
        const node = `${name} ${lives}`
        if (what === 'change') show(lists.heard(change(node)))
        if (what === 'lose') change(node)
        if (what === 'beat') beat()
        if (what === 'read') readAll()
        if (what === 'replace') {
          const { from, version } = change(node)
          show(lists.heard({ node, from, version }))
        }
        if (what === 'die') {
          truth.delete(node)
          lives++
        }
      }
      beat()
      readAll()
      expect([...shown].toSorted()).toStrictEqual([...truth.values()].flatMap(({ ids }) => [...ids]).toSorted())
    }),
    { numRuns: 300 },
  )
})
