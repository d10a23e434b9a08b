import { expect, onTestFinished, test, vi } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'

/** Imports the module with a hash function that a test can make fail. */
async function importPasswords() {
  vi.resetModules()
  vi.doMock(import('@node-rs/argon2'), { spy: true })
  onTestFinished(() => {
    vi.doUnmock('@node-rs/argon2')
    vi.resetModules()
  })
  const { hash } = await import('@node-rs/argon2')
  return { ...(await import('./passwords.ts')), hash: vi.mocked(hash) }
}

test('API-2 a hash that fails once does not break later logins', async () => {
  const { createPasswords, hash } = await importPasswords()
  const client = networksOf('203.0.113.7')
  const passwords = createPasswords()
  const stored = await passwords.hash(client, 'correct horse')
  hash.mockRejectedValueOnce(new Error('out of memory'))
  await expect(passwords.verify(client, stored, 'correct horse')).rejects.toThrow('out of memory')
  expect(await passwords.verify(client, stored, 'correct horse')).toBe(true)
  expect(await passwords.verify(client, null, 'correct horse')).toBe(false)
})
