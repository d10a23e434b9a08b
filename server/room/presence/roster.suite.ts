import { describe, expect, onTestFinished, test } from 'vitest'
import type { Roster, RosterListener } from './roster.ts'

type OpenRoster = (listener: RosterListener) => Roster

/** A node with what it knows; it notes who comes twice or goes without having come. */
export function createRosterObserver(open: OpenRoster) {
  const online = new Set<string>()
  const violations: string[] = []
  const roster = open({
    join(id) {
      if (online.has(id)) violations.push(`${id} came twice`)
      online.add(id)
    },
    leave(id) {
      if (!online.delete(id)) violations.push(`${id} went without having come`)
    },
  })
  onTestFinished(() => roster.close())
  return { roster, violations, sorted: () => [...online].toSorted() }
}

/** What holds of every roster, seen from one node. */
export function describeRoster(name: string, open: OpenRoster): void {
  describe(name, () => {
    test('PRESENCE-2 who comes and goes here is known before the call returns', () => {
      const { roster, sorted, violations } = createRosterObserver(open)
      roster.join('a')
      roster.join('b')
      expect(sorted()).toStrictEqual(['a', 'b'])
      roster.leave('a')
      expect(sorted()).toStrictEqual(['b'])
      expect(violations).toStrictEqual([])
    })

    test('PRESENCE-2 it closes with people inside, and before anything has happened', async () => {
      const { roster } = createRosterObserver(open)
      await roster.close()
      const crowded = createRosterObserver(open)
      for (let i = 0; i < 1_000; i++) crowded.roster.join(`id ${i}`)
      await crowded.roster.close()
      expect(crowded.violations).toStrictEqual([])
    })
  })
}
