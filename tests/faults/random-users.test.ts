import { expect, test } from 'vitest'
import { runRandomUsers } from './run-random-users.ts'

test('OUTBOX-8 each message of forty random users arrives once and in order, or is visible in the outbox', async () => {
  const seed = Number(process.env['LIVES_SEED'] ?? 12)
  const { violations, tally } = await runRandomUsers({ seed, users: 40 })
  expect(violations, `seed ${seed}`).toEqual([])
  expect(tally.presses).toBeGreaterThan(400)
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(0)
}, 400_000)
