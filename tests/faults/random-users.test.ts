import { expect, test } from 'vitest'
import { runRandomUsers } from './run-random-users.ts'

test('OUTBOX-8 forty random lives: each press arrives once, in order, or is visibly back in the hands of the user', async () => {
  const seed = Number(process.env['LIVES_SEED'] ?? 12)
  const { complaints, tally } = await runRandomUsers({ seed, lives: 40 })
  expect(complaints, `seed ${seed}`).toEqual([])
  expect(tally.presses).toBeGreaterThan(400)
  for (const happened of Object.values(tally)) expect(happened).toBeGreaterThan(0)
}, 400_000)
