import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from '../faults/mutants.ts'

const program = join(import.meta.dirname, 'run.ts')
const mutate = join(import.meta.dirname, '../faults/mutate.ts')

function simulate(args: string[], mutant?: string): { status: number | null; said: string } {
  const flags = mutant === undefined ? [] : ['--import', mutate]
  const env = { ...process.env, ...(mutant !== undefined && { MUTANT: mutant }) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

test('DELIVERY-1 nothing lost, nothing twice, one order in a thousand simulated lives', () => {
  const { status, said } = simulate(['--lives', '1000', '--seed', '1'])
  expect(said).toMatch(/innocent: 1000 lives/)
  expect(status).toBe(0)
})

/** What only a real server on a real network can be found guilty of. */
const onlyInReality = new Set([
  'missing acknowledgements',
  'disconnected users stay in the online list',
  'late live delivery',
])

/** Where a life shows it soon; most do so among the first. */
const firstSeeds: Partial<Record<string, string>> = {
  'new client starts at the head of a lagging node': '66',
  'client ahead of its node loses its position': '67',
}

test.each(Object.keys(mutants).filter((name) => !onlyInReality.has(name)))(
  'DELIVERY-9 the simulation finds %s, and tells the shortest life that shows it',
  (name) => {
    const { status, said } = simulate(['--lives', '400', '--seed', firstSeeds[name] ?? '1'], name)
    expect(said).toMatch(/GUILTY/)
    expect(said).toMatch(/its shortest form has \d+ steps/)
    expect(status).toBe(1)
  },
)
