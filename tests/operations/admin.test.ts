import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import { removedText } from '../../contract/constants.ts'
import { accountPath, routes } from '../../contract/routes.ts'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { adminCommands } from '../../server/transport/admin/commands.ts'
import { findCommand } from '../../server/transport/admin/parse-command.ts'
import { adminCommand } from '../support/admin-command.ts'
import { callUntilAvailable } from '../support/call-until-available.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { projectRoot } from '../support/project-root.ts'
import { startRedis } from '../support/redis-server.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Node {
  server: TestServer
  socket: string
}

interface Deployment {
  nodes: Node[]
  /** Makes the accounts unavailable; `null` if they are in the same process. */
  stopAccounts: (() => Promise<void>) | null
}

async function startEmbedded(): Promise<Deployment> {
  const server = await startServer()
  return { nodes: [{ server, socket: join(server.dataDir, 'admin.sock') }], stopAccounts: null }
}

async function startThreeNodes(): Promise<Deployment> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres({ settings: { fsync: 'off' } })])
  onTestFinished(() => Promise.all([redis.close(), postgres.close()]).then(() => undefined))
  const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.createDatabase() }
  const folder = temporaryFolder()
  const start = async (socket: string) => ({ server: await startServer({ ...env, ADMIN_SOCKET: socket }), socket })
  const nodes: Node[] = []
  for (const name of ['1', '2', '3']) nodes.push(await start(join(folder, `${name}.sock`)))
  return { nodes, stopAccounts: () => postgres.kill() }
}

const hasServices = isInstalled('redis-server') && postgresProgram('postgres') !== null
const account = (name: string) => ({ name, email: `${name}@example.org`, password: 'correct horse' })

interface Failure {
  code: string
  message: string
}

/**
 * Creates a command line that runs each command on the next node. Every node accepts every command, and all nodes apply
 * its effect.
 */
function createCommandLine(nodes: readonly Node[]) {
  const used = new Set<string>()
  let turn = 0
  async function run(argv: readonly string[], input: string | null) {
    const node = nodes[turn++ % nodes.length]
    const { exitCode, stdout } = await adminCommand(node?.socket ?? '', [...argv, '--json'], input)
    used.add(findCommand(argv)?.name ?? '')
    return { argv, exitCode, data: JSON.parse(stdout) as unknown }
  }
  async function ok(argv: readonly string[], input: string | null = null) {
    const result = await run(argv, input)
    expect(result).toMatchObject({ exitCode: 0 })
    return result.data
  }
  async function failure(argv: readonly string[], input: string | null = null) {
    const result = await run(argv, input)
    expect(result).toMatchObject({ exitCode: 1 })
    return (result.data as { error: Failure }).error
  }
  return { ok, failure, used: () => [...used].toSorted() }
}

test.for([
  ['an embedded server', startEmbedded, true],
  ['three nodes', startThreeNodes, hasServices],
] as const)('MODERATION-26 every command works on %s', async ([, start, canRun], { skip }) => {
  skip(!canRun)
  const { nodes, stopAccounts } = await start()
  const { ok, failure, used } = createCommandLine(nodes)
  const [first] = nodes
  if (first === undefined) throw new Error('no node')
  const last = nodes.at(-1) ?? first
  /** Repeats a command, each time on the next node, until its result matches. */
  const eventually = (argv: readonly string[], expected: object) => expect.poll(() => ok(argv)).toMatchObject(expected)

  const register = async (name: string) => {
    const response = await callUntilAvailable(first.server, routes.register, account(name))
    expect(response.status).toBe(201)
    return ((await response.json()) as { token: string }).token
  }
  const logIn = async (name: string, password: string) => {
    const response = await callUntilAvailable(first.server, routes.login, { name, password })
    return (await response.json()) as { stat: string; token: string }
  }
  const connect = async (token?: string) => {
    const auth = { channel: 'messages', ...(token === undefined ? {} : { token }) }
    const socket = last.server.client({ auth, reconnectionDelay: 10 })
    await waitForConnect(socket)
    return socket
  }
  const send = async (socket: Socket, message: string): Promise<number> => {
    const ack: unknown = await socket.emitWithAck(events.sendMessage, { username: 'ann', message, createdTime: 1 })
    expect(ack).toMatchObject({ ok: true })
    return (ack as { seq: number }).seq
  }

  // Check the commands for accounts and sessions.
  const token = await register('bob')
  await register('carol')
  const socket = await connect(token)
  const rejected = new Promise<Error>((resolve) => socket.once('connect_error', resolve))
  expect(await ok(['users', 'list', '--search', 'BO'])).toMatchObject({ users: [{ name: 'bob' }] })
  expect(await ok(['users', 'list', '--last', '1', '--after', '1'])).toMatchObject({ users: [{ name: 'carol' }] })
  expect(await ok(['sessions', 'list', 'bob'])).toMatchObject({ sessions: [{ expiresAtMs: expect.any(Number) }] })
  expect(await ok(['sessions', 'revoke', 'bob'])).toMatchObject({ revoked: 1 })
  expect((await rejected).message).toBe('unauthorized')
  expect(await ok(['sessions', 'list', 'bob'])).toMatchObject({ sessions: [] })
  expect(await ok(['users', 'rename', 'bob', 'robert'])).toMatchObject({ renamed: { name: 'robert' }, oldName: 'bob' })
  expect(await failure(['users', 'rename', 'robert', 'carol'])).toMatchObject({ code: 'name_taken' })
  const reset = (await ok(['users', 'reset-password', 'robert'])) as { password: string }
  expect(await logIn('robert', reset.password)).toMatchObject({ stat: 'Success' })
  expect(await ok(['users', 'reset-password', 'robert'], 'from a pipe\nsecond line')).not.toHaveProperty('password')
  const login = await logIn('robert', 'from a pipe')
  expect(await failure(['users', 'reset-password', 'robert'], 'x'.repeat(1_025))).toMatchObject({ code: 'invalid' })
  await ok(['moderators', 'add', 'carol'])
  await eventually(['moderators', 'list'], { moderators: [{ name: 'carol' }] })
  expect(await ok(['users', 'delete', 'carol'])).toMatchObject({ deleted: { name: 'carol' } })
  await eventually(['moderators', 'list'], { moderators: [] })
  expect((await first.server.call(routes.register, account('carol'))).status).toBe(409)

  // Check the commands for moderators.
  await ok(['moderators', 'add', 'robert'])
  expect(await logIn('robert', 'from a pipe')).toMatchObject({ role: 'moderator' })
  await ok(['moderators', 'remove', 'robert'])
  await eventually(['moderators', 'list'], { moderators: [] })

  // Check the commands for messages.
  const robert = await connect(login.token)
  const anonymous = await connect()
  const seqs: number[] = []
  for (const text of ['one', 'two', 'three']) seqs.push(await send(anonymous, text))
  const own = await send(robert, 'from robert')
  const [one = 0, two = 0] = seqs
  await eventually(['messages', 'list', '--last', '2'], { messages: [{ text: 'three' }, { text: 'from robert' }] })
  const fromAnn = { messages: [{ seq: one, text: 'one', isRegistered: false }, { text: 'two' }, { text: 'three' }] }
  expect(await ok(['messages', 'list', '--from', 'ann'])).toMatchObject(fromAnn)
  expect(await ok(['messages', 'list', '--from', 'robert'])).toMatchObject({ messages: [{ isRegistered: true }] })
  expect(await ok(['messages', 'remove', String(one), String(one)])).toMatchObject({ removed: 1 })
  const removeAll = ['messages', 'remove', '--sender-of', String(two)]
  expect(await failure(removeAll)).toMatchObject({ code: 'not_allowed' })
  expect(await ok([...removeAll, '--loopback'])).toMatchObject({ removed: 2 })
  const removed = { text: removedText, isRemoved: true }
  await eventually(['messages', 'list', '--from', 'ann'], { messages: [removed, removed, removed] })

  // Check the commands for restrictions.
  const mute = ['mute', '--user', 'robert', '--minutes', '10', '--reason', 'spam']
  const { restriction: muted } = (await ok(mute)) as { restriction: { id: string } }
  await eventually(['restrictions', 'list'], { restrictions: [{ id: muted.id, kind: 'mute', reason: 'spam' }] })
  const said = { username: 'robert', message: 'muted', createdTime: 1 }
  /** Number of stored messages of robert. */
  let stored = 1
  async function sayMuted(): Promise<unknown> {
    const ack = (await robert.emitWithAck(events.sendMessage, said)) as SendAck
    // The node of this client stores messages until the node has loaded the mute.
    if (ack.ok) stored++
    return ack
  }
  await expect.poll(sayMuted).toMatchObject({ code: 'not_allowed' })
  const deletion = await fetch(last.server.url + accountPath, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${login.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'from a pipe' }),
  })
  expect(await deletion.json()).toMatchObject({ code: 'forbidden', message: expect.stringContaining('muted') })
  expect(await failure(['unban', muted.id])).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('unmute'),
  })
  await ok(['unmute', muted.id])
  await eventually(['restrictions', 'list'], { restrictions: [] })
  expect(await failure(['mute', '--sender-of', String(one)])).toMatchObject({ code: 'not_allowed' })
  const banned = (await ok(['ban', '--network', '203.0.113.0/24'])) as { restriction: { id: string; endsAtMs: null } }
  expect(banned.restriction.endsAtMs).toBeNull()
  await ok(['unban', banned.restriction.id])
  const loopback = (await ok(['ban', '--sender-of', String(one), '--loopback'])) as { restriction: { id: string } }
  await expect.poll(() => anonymous.connected).toBe(false)
  await ok(['unban', loopback.restriction.id])
  await expect.poll(() => anonymous.connect().connected).toBe(true)

  // Check the commands for rules, words and the announcement.
  await ok(['rules', 'set', 'slow-mode=30', 'links=off'])
  await eventually(['rules', 'show'], { rules: { slowModeSeconds: 30, linksOff: true, readOnly: false } })
  await ok(['rules', 'set', 'slow-mode=off', 'links=on', 'read-only=on', 'accounts-only=on'])
  await ok(['rules', 'set', 'read-only=off', 'accounts-only=off'])
  await ok(['words', 'add', 'badword'])
  await eventually(['words', 'list'], { words: [{ word: 'badword', inside: false }] })
  await eventually(['words', 'test', 'a', 'b-a-d-w-o-r-d'], { found: ['badword'] })
  await ok(['words', 'remove', 'badword'])
  await eventually(['words', 'test', 'badword'], { found: [] })
  await ok(['announce', 'back', 'at', 'noon'])
  await ok(['announce', '--end'])

  // Check the errors of commands with unknown names, ids and seqs, and with invalid values.
  for (const argv of [
    ['users', 'delete', 'carol'],
    ['users', 'rename', 'carol', 'eve'],
    ['users', 'reset-password', 'carol'],
    ['users', 'export', 'carol'],
    ['users', 'erase', 'carol'],
    ['sessions', 'list', 'carol'],
    ['sessions', 'revoke', 'carol'],
    ['moderators', 'add', 'carol'],
    ['moderators', 'remove', 'carol'],
    ['mute', '--user', 'carol'],
  ]) {
    expect(await failure(argv)).toStrictEqual({
      code: 'not_found',
      message: 'There is no account with the name carol.',
    })
  }
  for (const [argv, code] of [
    [['messages', 'remove', '--sender-of', '999999'], 'not_found'],
    [['ban', '--sender-of', '999999'], 'not_found'],
    [['ban', '--network', '300.0.0.0/8'], 'invalid'],
    [['unmute', 'unknown'], 'not_found'],
    [['moderators', 'remove', 'robert'], 'not_found'],
    [['words', 'add', '!!'], 'invalid'],
    [['words', 'remove', 'unknown'], 'not_found'],
    [['announce', 'x'.repeat(501)], 'invalid'],
  ] as const) {
    expect({ argv, ...(await failure(argv)) }).toMatchObject({ code, message: expect.stringMatching(/^\S.*\.$/) })
  }

  // Check the commands for privacy.
  await eventually(['users', 'export', 'robert'], {
    account: { name: 'robert', email: 'bob@example.org' },
    isModerator: false,
    sessions: [{ expiresAtMs: expect.any(Number) }, { expiresAtMs: expect.any(Number) }],
    // The networks do not include loopback.
    networks: [],
    messages: expect.arrayContaining([expect.objectContaining({ seq: own, message: 'from robert' })]),
  })
  expect(await ok(['users', 'erase', 'robert'])).toMatchObject({ erased: { name: 'robert' }, removed: stored })
  const { entries } = (await ok(['audit', '--last', '1000'])) as { entries: { action: string; actor: string }[] }
  expect(entries.filter((entry) => /robert|bob/.test(JSON.stringify(entry)))).toStrictEqual([])
  expect(entries).toContainEqual(expect.objectContaining({ actor: 'operator', action: 'users erase' }))
  expect(entries.map(({ action }) => action)).toStrictEqual(expect.arrayContaining(['users delete', 'mute', 'ban']))
  expect(await ok(['stats'])).toMatchObject({
    users: 0,
    restrictions: 0,
    messages: { head: own + stored - 1, stored: own + stored - 1 },
  })
  expect(used()).toStrictEqual(adminCommands.map(({ name }) => name).toSorted())

  if (stopAccounts === null) return
  await register('eve')
  await stopAccounts()
  for (const argv of [
    ['users', 'list'],
    ['users', 'delete', 'eve'],
    ['sessions', 'revoke', 'eve'],
    ['moderators', 'add', 'eve'],
    ['rules', 'set', 'read-only=on'],
    ['words', 'add', 'word'],
    ['announce', 'text'],
    ['ban', '--network', '203.0.113.0/24'],
    ['audit'],
  ]) {
    expect({ argv, ...(await failure(argv)) }).toMatchObject({ code: 'unavailable' })
  }
})

test('MODERATION-26 without --json, commands print a table with escaped control characters', async () => {
  const { nodes } = await startEmbedded()
  const [node] = nodes
  await node?.server.call(routes.register, account('bob'))
  const list = await adminCommand(node?.socket ?? '', ['users', 'list'])
  expect(list.stdout).toMatch(/^position +name +e-mail +id\n1 +bob +bob@example\.org +\S+$/)
  const none = await adminCommand(node?.socket ?? '', ['users', 'list', '--search', 'nobody'])
  expect(none.stdout).toBe('No users found.')
})

test('MODERATION-27 npm run admin prints help, reads a password from standard input and sets the exit code', async () => {
  const { nodes } = await startEmbedded()
  const [node] = nodes
  await node?.server.call(routes.register, account('bob'))
  async function launch(argv: string[], input: string, socket = node?.socket ?? '') {
    const child = spawn(process.execPath, ['scripts/launch.mjs', 'admin', ...argv], {
      cwd: projectRoot,
      env: { ...process.env, ADMIN_SOCKET: socket },
    })
    child.stdin.end(input)
    const exited = new Promise((resolve) => child.once('close', resolve))
    const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited])
    return { stdout, stderr, exitCode }
  }
  expect(await launch(['users', 'reset-password', 'bob'], 'secret words\n')).toStrictEqual({
    stdout: 'Changed the password of bob.\n',
    stderr: '',
    exitCode: 0,
  })
  const response = await node?.server.call(routes.login, { name: 'bob', password: 'secret words' })
  expect(await response?.json()).toMatchObject({ stat: 'Success' })
  expect(await launch(['frobnicate'], '')).toMatchObject({ exitCode: 2, stdout: '' })
  const alone = await launch(['stats'], '', '/nowhere/admin.sock')
  expect(alone).toMatchObject({ exitCode: 1, stdout: '' })
  expect(alone.stderr).toContain('no server listens on /nowhere/admin.sock')
})

test('MODERATION-24 the socket is private, responds to malformed requests with an error, and ends with the server', async () => {
  const { nodes } = await startEmbedded()
  const [node] = nodes
  const socketPath = node?.socket ?? ''
  expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  const send = (body: string) =>
    new Promise<unknown>((resolve, reject) => {
      const sent = request({ socketPath, method: 'POST', agent: false }, (response) => {
        text(response).then((json) => resolve(JSON.parse(json)), reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  for (const body of ['', 'x', 'null', '{}', '{"argv":["stats"]}', '{"argv":"stats","input":null}', '[]']) {
    expect(await send(body)).toMatchObject({ ok: false, code: 'invalid' })
  }
  expect(await send(JSON.stringify({ argv: [], input: null }))).toMatchObject({ ok: false, code: 'invalid' })
  expect(await send(JSON.stringify({ argv: ['stats'], input: 'x'.repeat(2_000_000) }))).toMatchObject({ ok: true })
  expect(await send(JSON.stringify({ argv: ['users', 'delete', 'a\0b'], input: null }))).toMatchObject({
    code: 'not_found',
  })
  expect(await send(JSON.stringify({ argv: ['stats'], input: null }))).toMatchObject({ ok: true })
  await node?.server.drain()
  expect(await adminCommand(socketPath, ['stats'])).toMatchObject({ exitCode: 1, stdout: '' })
})

test('MODERATION-28 a server whose default socket path is too long runs without the socket; a configured path that is too long prevents the start', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100))
  const { url } = await startServer({ DATA_DIR: folder })
  expect((await fetch(url)).status).toBe(200)
  const chosen = { DATA_DIR: temporaryFolder(), ADMIN_SOCKET: join(folder, 'admin.sock') }
  await expect(startServer(chosen)).rejects.toThrow(/ADMIN_SOCKET: .* longer/)
})
