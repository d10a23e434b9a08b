import { expect, test } from 'vitest'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { messagesBetweenFaults } from '../faults/fault-injector.ts'
import { runFaults } from '../faults/run-faults.ts'

const canRun = isInstalled('nginx') && isInstalled('redis-server') && postgresProgram('postgres') !== null
/** Time for the nodes to start on a slow machine and for all clients to receive the last message. */
const settleTimeoutMs = 400_000
/** Run whose schedule contains all required faults in a short time. */
const slice = { seed: 107_584, seconds: 25, nodes: 3 }
const requiredFaults = ['kill node', 'stop redis', 'isolate node', 'restart nginx', 'restore redis']

test.skipIf(!canRun)(
  'CLUSTER-4 MODERATION-9 faults of three nodes, Redis, PostgreSQL and nginx lose, duplicate and reorder no message',
  async () => {
    const seed = Number(process.env['FAULTS_SEED'] ?? slice.seed)
    const { result, tally, removed, restricted, failure, historiesPath } = await runFaults({ ...slice, seed })
    const context = `seed ${seed}, histories in ${historiesPath}`
    expect(failure, context).toBeNull()
    expect(result.examples, context).toEqual([])
    expect(result.hasViolations, context).toBe(false)
    expect(result.acked).toBeGreaterThan((requiredFaults.length - 1) * messagesBetweenFaults)
    expect(result.gaps).toBeGreaterThan(0)
    expect(removed).toBeGreaterThan(0)
    expect(Object.keys(restricted).length).toBeGreaterThan(0)
    expect(Object.keys(tally)).toEqual(expect.arrayContaining(requiredFaults))
  },
  slice.seconds * 1_000 + settleTimeoutMs,
)
