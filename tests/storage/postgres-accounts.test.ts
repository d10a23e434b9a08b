import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { measureAwakeMs } from '../support/measure-awake-time.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { withoutPolicy } from '../../server/accounts/accounts.suite.ts'
import { createAccounts } from '../../server/accounts/accounts.ts'
import { createMemoryLoginLedger } from '../../server/accounts/login/login-ledger.ts'
import { createSessions } from '../../server/accounts/sessions/sessions.ts'
import { sweepTokens } from '../../server/accounts/sessions/token-sweep.ts'
import { createLocalBus } from '../../server/bus/cluster-bus.ts'
import { StorageError } from '../../server/base/storage-error.ts'
import { StartError } from '../../server/base/start-error.ts'
import { describeAccountStore, describeSharedAccountStore } from '../../server/accounts/account-store.suite.ts'
import { describeManagedAccounts } from '../../server/accounts/managed-accounts.suite.ts'
import { describeModerationStore } from '../../server/moderation/moderation-store.suite.ts'
import {
  maxPostgresConnections,
  openPostgresAccountStore,
  registrationLock,
} from '../../server/storage/postgres/postgres-account-store.ts'
import { problemOfServer } from '../../server/storage/postgres/postgres-server-check.ts'

// These tests do not cover durability, and fsync takes time.
const settings = { fsync: 'off' }
let postgres: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  postgres = await startPostgres({ settings })
})
afterAll(() => postgres.close())

function createTestDatabase() {
  let url: string | null = null
  return {
    open: () => openPostgresAccountStore((url ??= postgres.createDatabase()), ignoreEvents),
    execute: async (statement: string) => {
      const client = new Client(url ?? '')
      await client.connect()
      await client.query(statement)
      await client.end()
    },
    remove: () => undefined,
  }
}
describeAccountStore('PostgreSQL', createTestDatabase)
describeSharedAccountStore('PostgreSQL', createTestDatabase)
describeManagedAccounts('PostgreSQL', createTestDatabase)
describeModerationStore('PostgreSQL', createTestDatabase)

test('POSTGRES-3 a new account is never listed before an account that is already listed', async () => {
  const url = postgres.createDatabase()
  const { store } = await openStore(url)
  const { store: otherNode } = await openStore(url)
  const { blocker, waiting } = await openBlocker(url)
  // The transaction that creates Alice's account has its position in the order but cannot commit before the rollback.
  await store.create(account('eve'), tokenOf('e'))
  await blocker.query(`BEGIN; INSERT INTO tokens VALUES ('a', 'eve', 1)`)
  const alice = store.create(account('alice'), tokenOf('a'))
  await expect.poll(waiting).toBe(1)
  let isBobCreated = false
  const bob = otherNode.create(account('bob'), tokenOf('b')).then(() => (isBobCreated = true))
  await expect.poll(async () => isBobCreated || (await waiting()) === 2).toBe(true)
  const seen = await store.listPage(0, 10)
  await blocker.query('ROLLBACK')
  await Promise.all([alice, bob])
  seen.push(...(await store.listPage(seen.at(-1)?.order ?? 0, 10)))
  expect(seen.map(({ user }) => user.name)).toStrictEqual(['eve', 'alice', 'bob'])
})

test('POSTGRES-4 a node whose clock is wrong by 31 days issues valid tokens, and neither rejects nor deletes those of others', async () => {
  const { store } = await openStore(postgres.createDatabase())
  const sessions = createSessions(store, createLocalBus())
  const passwords = { hash: async () => 'hash', verify: async () => true }
  const accounts = createAccounts({
    store,
    passwords,
    sessions,
    ledger: createMemoryLoginLedger(),
    policy: withoutPolicy,
  })
  const wrongByMs = 31 * 24 * 3_600_000
  const realMs = Date.now()
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: realMs - wrongByMs })
  onTestFinished(() => void vi.useRealTimers())
  const { token } = await accounts.register({ name: 'bob', email: 'bob@example.org', password: 'secret' }, '127.0.0.1')
  vi.setSystemTime(realMs)
  expect(await sessions.authenticate(token)).not.toBeNull()

  vi.setSystemTime(realMs + wrongByMs)
  expect(await sessions.authenticate(token)).not.toBeNull()
  const sweeps: Promise<void>[] = []
  const recorded: typeof store.deleteExpired = (nowMs) => {
    const sweep = store.deleteExpired(nowMs)
    sweeps.push(sweep)
    return sweep
  }
  const { stop } = sweepTokens({ store: { deleteExpired: recorded }, sessions, report: ignoreEvents })
  onTestFinished(stop)
  vi.advanceTimersByTime(3_600_000)
  expect(sweeps).toHaveLength(2)
  await Promise.all(sweeps)
  vi.setSystemTime(realMs)
  expect(await sessions.authenticate(token)).not.toBeNull()
})

/** Opens a store and collects its availability changes. */
async function openStore(url: string) {
  const availability: string[] = []
  const store = await openPostgresAccountStore(url, ignoreEvents, (isAvailable) =>
    availability.push(isAvailable ? 'back' : 'away'),
  )
  onTestFinished(() => store.close())
  return { store, availability }
}

/** Opens a database connection that can hold locks. `waiting` returns the number of requests that wait for a lock. */
async function openBlocker(url: string) {
  const blocker = new Client(url)
  await blocker.connect()
  onTestFinished(() => blocker.end())
  // The open connection responds at once. Calls of the store have short deadlines, and starting `psql` takes long.
  const waiting = async () => {
    const { rows } = await blocker.query<{ count: string }>('SELECT count(*) FROM pg_locks WHERE NOT granted')
    return Number(rows[0]?.count)
  }
  return { blocker, waiting }
}

/** Returns the error line of a failed start, which must not contain the password or the user. */
async function startErrorLine(url: string): Promise<string> {
  const error: unknown = await openPostgresAccountStore(url, ignoreEvents).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  const { message, cause } = error as StartError
  expect(cause).toBeUndefined()
  expect(message).not.toMatch(/\n|secret|unknown-user/)
  return message
}

function withUrlParts(
  url: string,
  change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'hostname' | 'port'>>,
) {
  return Object.assign(new URL(url), change).href
}

describe('at the start', () => {
  test('POSTGRES-1 a wrong password, an unknown user and a missing database cause one line each', async () => {
    const rejected =
      /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ rejects this user or password; correct them in DATABASE_URL$/
    expect(await startErrorLine(withUrlParts(postgres.url, { password: 'secret' }))).toMatch(rejected)
    expect(await startErrorLine(withUrlParts(postgres.url, { username: 'unknown-user', password: 'secret' }))).toMatch(
      rejected,
    )
    expect(await startErrorLine(withUrlParts(postgres.url, { pathname: '/nowhere' }))).toMatch(
      /has no such database; create it/,
    )
  })

  test('POSTGRES-1 a closed port, an unknown host and a host that never responds cause one line each', async () => {
    const away = { username: 'unknown-user', password: 'secret' }
    expect(await startErrorLine(withUrlParts(postgres.url, { ...away, port: '1' }))).toMatch(
      /at 127.0.0.1:1 cannot be reached/,
    )
    expect(await startErrorLine(withUrlParts(postgres.url, { ...away, hostname: 'nowhere.invalid' }))).toMatch(
      /at nowhere.invalid:\d+ cannot be reached/,
    )
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    expect(await startErrorLine(withUrlParts(postgres.url, { ...away, port: `${port}` }))).toMatch(/cannot be reached/)
  })

  test('POSTGRES-1 a PostgreSQL that takes five seconds to respond does not stop the start', async () => {
    const proxy = await createTcpProxy(postgres.port)
    onTestFinished(() => proxy.close())
    const url = withUrlParts(postgres.createDatabase(), { port: `${proxy.port}` })
    proxy.stall(['toClient'], 'path')
    const isConnecting = () => proxy.links().length > 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const opening = openStore(url)
    while (!isConnecting()) await new Promise(setImmediate)
    vi.advanceTimersByTime(5_000)
    proxy.resume()
    await opening
  })

  test('POSTGRES-1 tables of a newer version are rejected and not changed', async () => {
    const url = postgres.createDatabase()
    await (await openPostgresAccountStore(url, ignoreEvents)).close()
    const database = new URL(url).pathname.slice(1)
    postgres.query(`INSERT INTO kysely_migration VALUES ('999-newer', '')`, database)
    expect(await startErrorLine(url)).toMatch(/was written by a newer version of Chat Room; start that version/)
  })

  test('POSTGRES-1 a user without the right to create tables and a database in another encoding cause one line each', async () => {
    postgres.query(`CREATE USER reader PASSWORD 'secret'`)
    const url = withUrlParts(postgres.createDatabase(), { username: 'reader', password: 'secret' })
    expect(await startErrorLine(url)).toMatch(/does not let this user create tables/)
    postgres.query(`CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    expect(await startErrorLine(withUrlParts(postgres.url, { pathname: '/latin' }))).toMatch(
      /in LATIN1; create a database with/,
    )
  })

  test('POSTGRES-1 an older release and a standby are rejected', () => {
    const supported = { version: '15.3', versionNumber: 150_003, encoding: 'UTF8', isStandby: false, isDurable: true }
    expect(problemOfServer(supported)).toBeNull()
    expect(problemOfServer({ ...supported, version: '13.9', versionNumber: 130_009 })).toMatch(
      /13\.9; upgrade it to 15 or newer/,
    )
    expect(problemOfServer({ ...supported, isStandby: true })).toMatch(/standby/)
  })
})

describe('while PostgreSQL fails', () => {
  const isStorageError = (error: unknown) => error instanceof StorageError
  afterEach(() => postgres.resume())

  test('POSTGRES-2 while PostgreSQL hangs a token lookup fails within 3 s and later ones fail at once; then it recovers', async () => {
    const { store, availability } = await openStore(postgres.createDatabase())
    expect(await store.findByToken('t', 0)).toBeNull()
    postgres.pause()
    const lookUp = () => expect(store.findByToken('t', 0)).rejects.toSatisfy(isStorageError)
    expect(await measureAwakeMs(lookUp)).toBeLessThanOrEqual(3_000)
    await expect.poll(() => availability).toStrictEqual(['away'])
    const lookUpMany = () => Promise.all(Array.from({ length: 1_000 }, lookUp))
    expect(await measureAwakeMs(lookUpMany)).toBeLessThan(1_000)
    await expect(store.check()).rejects.toSatisfy(isStorageError)
    postgres.resume()
    await expect.poll(() => availability).toStrictEqual(['away', 'back'])
    expect(await store.findByToken('t', 0)).toBeNull()
  })

  test('POSTGRES-2 a login whose password was checked fails within 3 s while PostgreSQL hangs', async () => {
    // The fake interval prevents health checks, which would end the login early.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { store } = await openStore(postgres.createDatabase())
    vi.useRealTimers()
    const pausePostgres = async () => (postgres.pause(), true)
    const passwords = { hash: async () => 'hash', verify: pausePostgres }
    const sessions = createSessions(store, createLocalBus())
    const accounts = createAccounts({
      store,
      passwords,
      sessions,
      ledger: createMemoryLoginLedger(),
      policy: withoutPolicy,
    })
    await accounts.register({ name: 'bob', email: 'bob@example.org', password: 'secret' }, '127.0.0.1')
    const logIn = () =>
      expect(accounts.logIn({ name: 'bob', password: 'secret' }, '127.0.0.1')).rejects.toSatisfy(isStorageError)
    expect(await measureAwakeMs(logIn)).toBeLessThanOrEqual(3_000)
  })

  test('POSTGRES-2 a hang is detected without requests, and the hung connections are never used again', async () => {
    const proxy = await createTcpProxy(postgres.port)
    onTestFinished(() => proxy.close())
    const { store, availability } = await openStore(withUrlParts(postgres.createDatabase(), { port: `${proxy.port}` }))
    // Open all connections of the store, which are then idle.
    await Promise.all(Array.from({ length: maxPostgresConnections }, () => store.findByToken('t', 0)))
    proxy.stall(['toServer', 'toClient'], 'links')
    await expect.poll(() => availability).toContain('away')
    await expect.poll(() => availability).toStrictEqual(['away', 'back'])
    const results = await Promise.all(
      Array.from({ length: maxPostgresConnections * 2 }, () => store.findByToken('t', 0)),
    )
    expect(results.every((result) => result === null)).toBe(true)
  })

  test('POSTGRES-2 while PostgreSQL is down lookups fail, and after its restart they succeed', async () => {
    const { store, availability } = await openStore(postgres.createDatabase())
    await postgres.kill()
    await expect(store.findByToken('t', 0)).rejects.toSatisfy(isStorageError)
    await expect.poll(() => availability).toStrictEqual(['away'])
    await postgres.start()
    await expect.poll(() => availability).toStrictEqual(['away', 'back'])
    expect(await store.findByToken('t', 0)).toBeNull()
  })

  test('POSTGRES-2 a PostgreSQL that has become a standby is unavailable until it is promoted', async () => {
    const { store, availability } = await openStore(postgres.createDatabase())
    await postgres.restartAsStandby()
    await expect.poll(() => store.check().then(() => 'available', String)).toMatch(/standby/)
    expect(availability).toStrictEqual(['away'])
    await expect(store.create(account('alice'), tokenOf('a'))).rejects.toSatisfy(isStorageError)
    postgres.query('SELECT pg_promote()')
    await expect.poll(() => availability).toStrictEqual(['away', 'back'])
    expect(await store.create(account('alice'), tokenOf('a'))).toBe('created')
  })

  test('POSTGRES-2 connections that reject writes are replaced, as after a failover that leaves them open', async () => {
    const url = postgres.createDatabase()
    const { store } = await openStore(url)
    const database = new URL(url).pathname.slice(1)
    const setReadOnly = (value: string) =>
      postgres.query(`ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`)
    setReadOnly('on')
    postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
    const create = () => store.create(account('alice'), tokenOf('a')).catch(String)
    const check = () => store.check().then(() => 'available', String)
    await expect.poll(async () => `${await create()} ${await check()}`).toMatch(/read-only/)
    // Open all connections of the store.
    await Promise.allSettled(Array.from({ length: maxPostgresConnections }, () => store.findByToken('t', 0)))
    setReadOnly('off')
    await expect.poll(create).toBe('created')
  })

  test('POSTGRES-2 registrations that wait for another node leave connections free for token checks', async () => {
    const url = postgres.createDatabase()
    const { store } = await openStore(url)
    const { blocker, waiting } = await openBlocker(url)
    await blocker.query(`SELECT pg_advisory_lock(${registrationLock})`)
    const names = Array.from({ length: maxPostgresConnections * 2 }, (_, i) => `user ${i}`)
    // On a busy machine, an attempt may miss its deadline and be stored nevertheless.
    const create = (name: string) =>
      expect.poll(() => store.create(account(name), tokenOf(name))).toMatch(/^(created|name_taken)$/)
    const creating = Promise.all(names.map(create))
    let mostWaiting = 0
    const countWaiting = async () => (mostWaiting = Math.max(mostWaiting, await waiting()))
    await expect.poll(countWaiting).toBeGreaterThan(0)
    await expect.poll(() => store.findByToken('t', 0)).toBeNull()
    await countWaiting()
    expect(mostWaiting).toBe(1)
    await blocker.query('SELECT pg_advisory_unlock_all()')
    await creating
    expect(await store.listPage(0, 100)).toHaveLength(names.length)
  })

  test('POSTGRES-2 a store closes while PostgreSQL hangs and leaves no connection open', async () => {
    const openSockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
    // Some of these sockets may belong to the previous test and be about to close.
    const before = openSockets()
    const store = await openPostgresAccountStore(postgres.createDatabase(), ignoreEvents)
    await Promise.all([store.findByToken('t', 0), store.findByToken('t', 0)])
    postgres.pause()
    const waiting = expect(store.findByToken('t', 0)).rejects.toSatisfy(isStorageError)
    expect(await measureAwakeMs(() => store.close())).toBeLessThan(4_000)
    await waiting
    await expect.poll(openSockets).toBeLessThanOrEqual(before)
  })

  test('POSTGRES-2 a node that hangs during a registration does not block registrations on other nodes', async () => {
    const url = postgres.createDatabase()
    const { store } = await openStore(url)
    const path = await openDroppingProxy()
    const { store: isolated } = await openStore(withUrlParts(url, { port: `${path.port}` }))
    const { blocker, waiting } = await openBlocker(url)
    await blocker.query('BEGIN; LOCK TABLE users IN EXCLUSIVE MODE')
    let creating: Promise<void> | null = null
    const endedWithStorageError: boolean[] = []
    await expect
      .poll(() => {
        // On a busy machine, an attempt may end at its deadline before this test detects that it waits.
        creating ??= isolated
          .create(account('alice'), tokenOf('alice'))
          .then(() => false, isStorageError)
          .then((isExpected) => {
            endedWithStorageError.push(isExpected)
            creating = null
          })
        return waiting()
      })
      .toBe(1)
    path.dropAll()
    await blocker.query('ROLLBACK')
    // An attempt that failed may have been stored: a busy machine may miss the deadline after the commit.
    const isStored = async () => {
      await store.create(account('bob'), tokenOf('bob')).catch(isStorageError)
      return (await store.findForLogin('bob')) !== null
    }
    await expect.poll(() => isStored().catch(() => false)).toBe(true)
    await expect.poll(() => creating).toBeNull()
    expect(endedWithStorageError).not.toContain(false)
    expect(await store.findForLogin('alice')).toBeNull()
  })
})

/** Opens a proxy to PostgreSQL that can drop all traffic, including the end of connections. */
async function openDroppingProxy() {
  let drops = false
  const server = createServer((near) => {
    const far = connect(postgres.port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => drops || to.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => drops || to.destroy())
      onTestFinished(() => void from.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, dropAll: () => (drops = true) }
}

function account(name: string) {
  const keys = { nameKey: name, lookKey: name, emailKey: name }
  return { id: name, name, email: name, passwordHash: 'hash', ...keys }
}

function tokenOf(hash: string) {
  return { hash, lifetimeMs: 1 }
}
