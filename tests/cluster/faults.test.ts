import { expect, test } from 'vitest'
import { isThere, postgresProgram } from '../../scripts/programs.ts'
import { runFaults } from '../faults/run-faults.ts'

const canRun = isThere('nginx') && isThere('redis-server') && postgresProgram('postgres') !== null
/** For a slow machine, on which nodes take their time to start, and for the run to come to rest. */
const patienceMs = 400_000

test.skipIf(!canRun)(
  'CLUSTER-4 three nodes, nothing lost, nothing twice, one order: 60 s of faults of nodes, Redis, PostgreSQL and nginx',
  async () => {
    const seed = Number(process.env['FAULTS_SEED'] ?? 3)
    const { verdict, tally, broke, kept } = await runFaults({ seed, seconds: 60, nodes: 3 })
    const told = `seed ${seed}, histories in ${kept}`
    expect(broke, told).toBeNull()
    expect(verdict.examples, told).toEqual([])
    expect(verdict.guilty, told).toBe(false)
    // An acquittal means nothing unless something happened.
    expect(verdict.acked).toBeGreaterThan(500)
    expect(verdict.gaps).toBeGreaterThan(0)
    expect(Object.keys(tally)).toEqual(
      expect.arrayContaining(['kill node', 'stop redis', 'cut node off', 'restart nginx', 'restore redis']),
    )
  },
  60_000 + patienceMs,
)
