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
    const { result, tally, failure, historiesPath } = await runFaults({ seed, seconds: 60, nodes: 3 })
    const told = `seed ${seed}, histories in ${historiesPath}`
    expect(failure, told).toBeNull()
    expect(result.examples, told).toEqual([])
    expect(result.hasViolations, told).toBe(false)
    // An acquittal means nothing unless something happened.
    expect(result.acked).toBeGreaterThan(500)
    expect(result.gaps).toBeGreaterThan(0)
    expect(Object.keys(tally)).toEqual(
      expect.arrayContaining(['kill node', 'stop redis', 'cut node off', 'restart nginx', 'restore redis']),
    )
  },
  60_000 + patienceMs,
)
