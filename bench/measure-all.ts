import { describeMachine } from './machine.ts'
import type { Options } from './options.ts'
import { isUnavailable, type PeerId } from './peers/peer.ts'
import { allPeers, findPeer } from './peers/peers.ts'
import { createProgress } from './progress.ts'
import type { Results } from './report/results.ts'
import type { OutcomeRecord, Scenario } from './scenarios/scenario.ts'
import { allScenarios } from './scenarios/scenarios.ts'

interface Step {
  scenario: Scenario
  peer: PeerId
  run: number
  seconds: number
}

/**
 * Returns the steps in the order of runs, scenarios and peers, so that a temporary disturbance of the machine affects
 * all peers alike.
 */
function planSteps({ quick, only, peers, runs }: Options): Step[] {
  const steps: Step[] = []
  for (let run = 1; run <= runs; run++) {
    for (const scenario of allScenarios) {
      if (only !== null && !only.includes(scenario.name)) continue
      if (run > (scenario.maxRuns ?? Infinity)) continue
      const participants = peers === null ? (quick ? scenario.quickPeers : scenario.peers) : scenario.supportedPeers
      for (const peer of participants) {
        if (peers !== null && !peers.includes(peer) && scenario.name !== 'ceiling') continue
        steps.push({ scenario, peer, run, seconds: scenario.expectedSeconds(peer, quick) })
      }
    }
  }
  return steps
}

export async function measureAll(options: Options): Promise<Results> {
  const steps = planSteps(options)
  const records: OutcomeRecord[] = []
  const unavailable = new Map<PeerId, string>()
  const progress = createProgress(steps.reduce((sum, { seconds }) => sum + seconds, 0))
  for (const { scenario, peer, run, seconds } of steps) {
    if (unavailable.has(peer)) continue
    const { label } = findPeer(peer)
    progress.step(`run ${run}/${options.runs} ${scenario.name}: ${label}`, seconds)
    try {
      const outcome = await scenario.measure(findPeer(peer), {
        quick: options.quick,
        note: (line) => progress.note(line),
      })
      records.push({ peer, run, outcome })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (isUnavailable(error)) unavailable.set(peer, reason)
      progress.print(`not measured: ${label}, ${scenario.name}, run ${run}: ${reason}`)
    }
    progress.stepDone()
  }
  progress.end()
  const measured = new Set(records.map(({ peer }) => peer))
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    quick: options.quick,
    runs: options.runs,
    machine: describeMachine(),
    peers: allPeers
      .filter(({ id }) => measured.has(id) || unavailable.has(id))
      .map(({ id, label, configuration, detail, batching }) => ({
        id,
        label,
        configuration: measured.has(id) && detail !== undefined ? `${configuration}; ${detail()}` : configuration,
        batching,
        unavailableReason: measured.has(id) ? null : (unavailable.get(id) ?? null),
      })),
    records,
  }
}
