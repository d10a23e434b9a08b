import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { adminCommands } from '../../server/transport/admin/commands.ts'
import { adminCommand } from '../support/admin-command.ts'
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

async function startEmbedded(): Promise<Node[]> {
  const server = await startServer()
  return [{ server, socket: join(server.dataDir, 'admin.sock') }]
}

async function startThreeNodes(): Promise<Node[]> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres({ settings: { fsync: 'off' } })])
  onTestFinished(() => Promise.all([redis.close(), postgres.close()]).then(() => undefined))
  const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.createDatabase() }
  const folder = temporaryFolder()
  const start = async (socket: string) => ({ server: await startServer({ ...env, ADMIN_SOCKET: socket }), socket })
  return Promise.all(['1', '2', '3'].map((name) => start(join(folder, `${name}.sock`))))
}

const hasServices = isInstalled('redis-server') && postgresProgram('postgres') !== null
const account = (name: string) => ({ name, email: `${name}@example.org`, password: 'correct horse' })

test.each([
  ['an embedded server', startEmbedded, true],
  ['three nodes', startThreeNodes, hasServices],
])('MODERATION-26 every command works on %s', async (_name, start, canRun) => {
  if (!canRun) return
  const nodes = await start()
  const [first] = nodes
  if (first === undefined) throw new Error('no node')
  /** Runs each command on the next node: every node accepts every command, and all of them see its effect. */
  let turn = 0
  const used = new Set<string>()
  async function run(argv: string[], input: string | null = null) {
    const node = nodes[turn++ % nodes.length]
    const result = await adminCommand(node?.socket ?? '', [...argv, '--json'], input)
    used.add(adminCommands.find(({ name }) => argv.join(' ').startsWith(name))?.name ?? '')
    return { exitCode: result.exitCode, data: JSON.parse(result.stdout) as unknown }
  }
  const ok = async (argv: string[], input: string | null = null) => {
    const { exitCode, data } = await run(argv, input)
    expect({ argv, exitCode, data }).toMatchObject({ exitCode: 0 })
    return data
  }
  const failure = async (argv: string[], input: string | null = null) => {
    const { exitCode, data } = await run(argv, input)
    expect({ argv, exitCode, data }).toMatchObject({ exitCode: 1 })
    return (data as { error: { code: string; message: string } }).error
  }

  const register = async (name: string) => {
    const answer = await first.server.call(routes.register, account(name))
    return ((await answer.json()) as { token: string }).token
  }
  const logIn = async (name: string, password: string) => {
    const answer = await first.server.call(routes.login, { name, password })
    return (await answer.json()) as { stat: string }
  }

  // Accounts and sessions.
  const token = await register('bob')
  await register('carol')
  const socket = (nodes.at(-1) ?? first).server.client({ auth: { token, channel: 'messages' }, reconnectionDelay: 10 })
  await waitForConnect(socket)
  const rejected = new Promise<Error>((resolve) => socket.once('connect_error', resolve))
  expect(await ok(['users', 'list', '--search', 'BO'])).toMatchObject({ users: [{ name: 'bob' }] })
  expect(await ok(['users', 'list', '--last', '1', '--after', '1'])).toMatchObject({ users: [{ name: 'carol' }] })
  expect(await ok(['sessions', 'list', 'bob'])).toMatchObject({ sessions: [{ expiresAtMs: expect.any(Number) }] })
  expect(await ok(['sessions', 'revoke', 'bob'])).toMatchObject({ revoked: 1 })
  expect((await rejected).message).toBe('unauthorized')
  expect(await ok(['sessions', 'list', 'bob'])).toMatchObject({ sessions: [] })
  expect(await ok(['users', 'rename', 'bob', 'robert'])).toMatchObject({ renamed: { name: 'robert' }, oldName: 'bob' })
  expect(await failure(['users', 'rename', 'robert', 'carol'])).toMatchObject({ code: 'name_taken' })
  expect(await failure(['users', 'rename', 'bob', 'rob'])).toMatchObject({
    code: 'not_found',
    message: 'There is no account with the name bob.',
  })
  const reset = (await ok(['users', 'reset-password', 'robert'])) as { password: string }
  expect(await logIn('robert', reset.password)).toMatchObject({ stat: 'Success' })
  expect(await ok(['users', 'reset-password', 'robert'], 'from a pipe\nsecond line')).not.toHaveProperty('password')
  expect(await logIn('robert', 'from a pipe')).toMatchObject({ stat: 'Success' })
  expect(await failure(['users', 'reset-password', 'robert'], 'x'.repeat(1_025))).toMatchObject({ code: 'invalid' })
  expect(await ok(['users', 'delete', 'carol'])).toMatchObject({ deleted: { name: 'carol' } })
  expect((await first.server.call(routes.register, account('carol'))).status).toBe(409)
  for (const argv of [
    ['users', 'delete', 'carol'],
    ['users', 'reset-password', 'carol'],
    ['sessions', 'list', 'carol'],
    ['sessions', 'revoke', 'carol'],
  ]) {
    expect(await failure(argv)).toMatchObject({ code: 'not_found', message: expect.stringContaining('carol') })
  }
  expect(await ok(['stats'])).toMatchObject({ users: 1, connections: expect.any(Number), messages: { head: 0 } })

  expect([...used].toSorted()).toStrictEqual(adminCommands.map(({ name }) => name).toSorted())
})

test('MODERATION-26 commands print a table for people, with control characters escaped', async () => {
  const [node] = await startEmbedded()
  await node?.server.call(routes.register, account('bob'))
  const list = await adminCommand(node?.socket ?? '', ['users', 'list'])
  expect(list.stdout).toMatch(/^position +name +e-mail +id\n1 +bob +bob@example\.org +\S+$/)
  const none = await adminCommand(node?.socket ?? '', ['users', 'list', '--search', 'nobody'])
  expect(none.stdout).toBe('No users found.')
})

test('MODERATION-27 npm run admin prints help, reads a password from standard input and sets the exit code', async () => {
  const [node] = await startEmbedded()
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
    stdout: 'The password of bob is changed.\n',
    stderr: '',
    exitCode: 0,
  })
  const answer = await node?.server.call(routes.login, { name: 'bob', password: 'secret words' })
  expect(await answer?.json()).toMatchObject({ stat: 'Success' })
  expect(await launch(['frobnicate'], '')).toMatchObject({ exitCode: 2, stdout: '' })
  const alone = await launch(['stats'], '', '/nowhere/admin.sock')
  expect(alone).toMatchObject({ exitCode: 1, stdout: '' })
  expect(alone.stderr).toContain('no server listens on /nowhere/admin.sock')
})

test('MODERATION-24 the socket is private, answers malformed requests with an error, and ends with the server', async () => {
  const [node] = await startEmbedded()
  const socketPath = node?.socket ?? ''
  expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  const send = (body: string) =>
    new Promise<unknown>((resolve, reject) => {
      const sent = request({ socketPath, method: 'POST', agent: false }, (response) => {
        text(response).then((answer) => resolve(JSON.parse(answer)), reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  for (const body of ['', 'x', 'null', '{}', '{"argv":["stats"]}', '{"argv":"stats","input":null}', '[]']) {
    expect(await send(body)).toMatchObject({ ok: false, code: 'invalid' })
  }
  expect(await send(JSON.stringify({ argv: [], input: null }))).toMatchObject({ ok: false, code: 'invalid' })
  expect(await send(JSON.stringify({ argv: ['stats'], input: 'x'.repeat(2_000_000) }))).toMatchObject({ ok: false })
  expect(await send(JSON.stringify({ argv: ['users', 'delete', 'a\0b'], input: null }))).toMatchObject({
    code: 'not_found',
  })
  expect(await send(JSON.stringify({ argv: ['stats'], input: null }))).toMatchObject({ ok: true })
  await node?.server.drain()
  expect(await adminCommand(socketPath, ['stats'])).toMatchObject({ exitCode: 1, stdout: '' })
})

test('MODERATION-28 a server whose default socket path is too long runs without it; a chosen path stops the start', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100))
  const { url } = await startServer({ DATA_DIR: folder })
  expect((await fetch(url)).status).toBe(200)
  const chosen = { DATA_DIR: temporaryFolder(), ADMIN_SOCKET: join(folder, 'admin.sock') }
  await expect(startServer(chosen)).rejects.toThrow(/ADMIN_SOCKET: .* longer/)
})
