import { expect, test, vi } from 'vitest'
import { randomId } from './random-id.ts'

test('DELIVERY-2 an id is a random UUID version 4, created without crypto.randomUUID', () => {
  const randomUUID = vi.spyOn(crypto, 'randomUUID')
  const ids = Array.from({ length: 2_000 }, randomId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(ids.length)
  expect(randomUUID).not.toHaveBeenCalled()
})
