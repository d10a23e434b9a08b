import { describe, expect, onTestFinished, test } from 'vitest'
import type { Roster, RosterListener } from './roster.ts'

type OpenRoster = (listener: RosterListener) => Roster

/** Opens a roster and records the online ids, repeated joins and leaves without a join. */
export function createRosterObserver(open: OpenRoster) {
  const online = new Set<string>()
  const violations: string[] = []
  const roster = open({
    join(id) {
      if (online.has(id)) violations.push(`${id} joined twice`)
      online.add(id)
    },
    leave(id) {
      if (!online.delete(id)) violations.push(`${id} left without having joined`)
    },
  })
  onTestFinished(() => roster.close())
  return { roster, violations, sorted: () => [...online].toSorted() }
}

/** Defines the tests of a roster implementation, with one node. */
export function describeRoster(name: string, open: OpenRoster): void {
  describe(name, () => {
    test('PRESENCE-2 local joins and leaves reach the listener before the call returns', () => {
      const { roster, sorted, violations } = createRosterObserver(open)
      roster.join('a')
      roster.join('b')
      expect(sorted()).toStrictEqual(['a', 'b'])
      roster.leave('a')
      expect(sorted()).toStrictEqual(['b'])
      expect(violations).toStrictEqual([])
    })

    test('PRESENCE-2 a roster closes when it is empty and when it has ids', async () => {
      const { roster } = createRosterObserver(open)
      await roster.close()
      const filled = createRosterObserver(open)
      for (let i = 0; i < 1_000; i++) filled.roster.join(`id ${i}`)
      await filled.roster.close()
      expect(filled.violations).toStrictEqual([])
    })
  })
}
