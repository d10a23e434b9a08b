import { hash } from '@node-rs/argon2'
import { expect, test, vi } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'
import { createPasswords } from './passwords.ts'

vi.mock(import('@node-rs/argon2'), { spy: true })

test('API-2 a hash that fails once does not break later logins', async () => {
  const client = networksOf('203.0.113.7')
  const passwords = createPasswords()
  const stored = await passwords.hash(client, 'correct horse')
  vi.mocked(hash).mockRejectedValueOnce(new Error('out of memory'))
  await expect(passwords.verify(client, stored, 'correct horse')).rejects.toThrow('out of memory')
  expect(await passwords.verify(client, stored, 'correct horse')).toBe(true)
  expect(await passwords.verify(client, null, 'correct horse')).toBe(false)
})
