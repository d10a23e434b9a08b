import { expect, test } from 'vitest'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { runFaults } from '../faults/run-faults.ts'

const canRun = isInstalled('nginx') && isInstalled('redis-server') && postgresProgram('postgres') !== null
/** Time for the nodes to start on a slow machine and for the run to settle. */
const settleTimeoutMs = 400_000

test.skipIf(!canRun)(
  'CLUSTER-4 60 s of faults of three nodes, Redis, PostgreSQL and nginx lose, duplicate and reorder no message',
  async () => {
    const seed = Number(process.env['FAULTS_SEED'] ?? 3)
    const { result, tally, failure, historiesPath } = await runFaults({ seed, seconds: 60, nodes: 3 })
    const context = `seed ${seed}, histories in ${historiesPath}`
    expect(failure, context).toBeNull()
    expect(result.examples, context).toEqual([])
    expect(result.hasViolations, context).toBe(false)
    // The result is only meaningful when enough messages and faults occurred.
    expect(result.acked).toBeGreaterThan(500)
    expect(result.gaps).toBeGreaterThan(0)
    expect(Object.keys(tally)).toEqual(
      expect.arrayContaining(['kill node', 'stop redis', 'isolate node', 'restart nginx', 'restore redis']),
    )
  },
  60_000 + settleTimeoutMs,
)
