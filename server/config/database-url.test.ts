import { expect, test } from 'vitest'
import { findDatabaseUrlProblem, databaseAddress } from './database-url.ts'

test('POSTGRES-1 an invalid database URL is rejected, and the message does not repeat it', () => {
  const wrong = [
    'secret',
    'localhost:5432/chat?secret',
    'mysql://user:secret@host/chat',
    'postgres://user:sec/ret@host:x/chat',
    'postgres://user:secret@host',
    'postgres://user:secret@host/',
    'postgres://user:secret@%zz/chat',
    'postgres://user:secret%@host/chat',
    'postgres://us%er:secret@host/chat',
    'postgres://user:secret@host/%zz',
  ]
  for (const url of wrong) {
    const problem = findDatabaseUrlProblem(url)
    expect(problem).toMatch(/a URL like postgres:\/\//)
    expect(problem).not.toContain('secret')
  }
})

test('POSTGRES-1 URLs with a host name, IPv4, IPv6 or socket are valid, and shown without credentials', () => {
  const addresses: Record<string, string> = {
    'postgres://user:secret@db.example.org/chat': 'db.example.org:5432',
    'postgresql://user:p%40ss@10.0.0.7:6000/chat?sslmode=verify-full': '10.0.0.7:6000',
    'postgres://user@[2001:db8::1]:6000/chat': '[2001:db8::1]:6000',
    'postgres:///chat?host=/var/run/postgresql': '/var/run/postgresql',
    'postgres://user:secret@%2Fvar%2Frun%2Fpostgresql/chat': '/var/run/postgresql',
  }
  for (const [url, address] of Object.entries(addresses)) {
    expect(findDatabaseUrlProblem(url)).toBeNull()
    expect(databaseAddress(url)).toBe(address)
  }
})
