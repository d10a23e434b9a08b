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

test.each([
  [16, 3],
  [3, 2],
])('SECURITY-2 with %i cores, at most %i passwords are hashed at once', async (cores, expected) => {
  vi.doMock(import('node:os'), async (importOriginal) => ({
    ...(await importOriginal()),
    availableParallelism: () => cores,
  }))
  onTestFinished(() => vi.doUnmock('node:os'))
  const { createPasswords, hash } = await importPasswords()
  let [running, mostRunning] = [0, 0]
  hash.mockImplementation(async () => {
    mostRunning = Math.max(mostRunning, ++running)
    await new Promise(setImmediate)
    running--
    return 'hash'
  })
  const passwords = createPasswords()
  await Promise.all(Array.from({ length: 32 }, () => passwords.hash(networksOf('203.0.113.7'), 'correct horse')))
  expect(mostRunning).toBe(expected)
})

test('SECURITY-2 a login does not wait for all waiting logins of many networks that failed before', async () => {
  const { createPasswords } = await importPasswords()
  const passwords = createPasswords({ concurrency: 1, maxQueued: 256 })
  const attackers = Array.from({ length: 30 }, (_, i) => networksOf(`203.0.${i}.1`))
  await Promise.all(attackers.map((client) => passwords.verify(client, null, 'guess')))
  let finished = 0
  const attempts = attackers.map(async (client) => {
    await passwords.verify(client, null, 'guess')
    finished++
  })
  await passwords.verify(networksOf('198.51.100.1'), null, 'correct horse')
  expect(finished).toBeLessThanOrEqual(3)
  await Promise.all(attempts)
})
