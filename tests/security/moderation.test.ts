import { expect, test, vi } from 'vitest'
import { events, moderationEvents } from '../../contract/events.ts'
import { noRules } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { moderate, operate, registerFrom, sendText, setRules } from '../support/moderation.ts'
import { collectSocketEvents, nextEvent, waitForConnect } from '../support/socket-events.ts'
import { startBehindProxy } from './from-address.ts'

type Server = Awaited<ReturnType<typeof startBehindProxy>>

const home = '198.51.100.7'
const elsewhere = '203.0.113.9'
const page = { channel: 'messages', removals: true } as const

const connect = (server: Server, address: string, auth: object = page) =>
  waitForConnect(server.clientFrom(address, { auth, reconnection: true, reconnectionDelay: 10 }))
const register = (server: Server, name: string, address = elsewhere) =>
  registerFrom((path, body) => server.callFrom(address, path, body), name)
async function rejectionOf(server: Server, address: string, auth: object = page) {
  const [error] = await nextEvent<[Error & { data?: object }]>(server.clientFrom(address, { auth }), 'connect_error')
  return { code: error.message, ...error.data }
}
const muted = (reason?: string) => ({
  ok: false,
  code: 'not_allowed',
  message: `You are muted in this room.${reason === undefined ? '' : ` Reason: ${reason}`}`,
})
const banned = { code: 'banned', message: 'You are banned from this room.' }

/** Starts a server with a moderator whose page is connected. */
async function startModerated() {
  const server = await startBehindProxy()
  const moderator = await register(server, 'mod')
  await operate(server, { type: 'add-moderator', account: moderator })
  const panel = await connect(server, elsewhere, { ...page, token: moderator.token })
  return { server, moderator, panel }
}

test('MODERATION-11 the login response contains the role of a moderator, and of no other user', async () => {
  const { server, moderator } = await startModerated()
  const other = await register(server, 'other')
  const logIn = async ({ name, password }: typeof other) =>
    (await server.callFrom(elsewhere, routes.login, { name, password })).json()
  await expect.poll(() => logIn(moderator)).toMatchObject({ stat: 'Success', role: 'moderator' })
  await expect
    .poll(() => logIn(other))
    .toStrictEqual({ stat: 'Success', name: 'other', token: expect.any(String) as string })
  await operate(server, { type: 'remove-moderator', account: moderator })
  await expect
    .poll(async () => Object.keys((await logIn(moderator)) as object))
    .toStrictEqual(['stat', 'name', 'token'])
})

test('MODERATION-11 an open page receives its role, and a withdrawn role ends its actions at once', async () => {
  const server = await startBehindProxy()
  const account = await register(server, 'mod')
  const socket = await connect(server, elsewhere, { ...page, token: account.token })
  const roles = collectSocketEvents(socket, moderationEvents.role)
  const rules = { type: 'set-rules', rules: { readOnly: true } }
  expect(await moderate(socket, rules)).toMatchObject({ ok: false, code: 'not_allowed' })
  await operate(server, { type: 'add-moderator', account })
  await roles.atLeast(1)
  expect(await moderate(socket, rules)).toStrictEqual({ ok: true })
  await operate(server, { type: 'remove-moderator', account })
  expect(await roles.atLeast(2)).toStrictEqual([['moderator'], [null]])
  expect(await moderate(socket, { type: 'set-rules', rules: noRules })).toMatchObject({
    ok: false,
    code: 'not_allowed',
  })
  expect(server.server.moderation.rules().readOnly).toBe(true)
})

test('MODERATION-11 only valid actions of moderators are performed, at a limited rate', async () => {
  const { server, panel } = await startModerated()
  const anonymous = await connect(server, home)
  expect(await moderate(anonymous, { type: 'overview' })).toMatchObject({ ok: false, code: 'not_allowed' })
  for (const action of [
    undefined,
    null,
    'overview',
    {},
    { type: 'announce', text: 'hi' },
    { type: 'remove', seqs: [] },
  ]) {
    expect(await moderate(panel, action)).toMatchObject({ ok: false, code: 'invalid' })
  }
  expect(await moderate(panel, { type: 'end-restriction', id: 'none' })).toMatchObject({ ok: false, code: 'not_found' })
  const acks = await Promise.all(Array.from({ length: 60 }, () => moderate(panel, { type: 'overview' })))
  expect(acks).toContainEqual(expect.objectContaining({ ok: false, code: 'rate_limited' }))
})

test('MODERATION-16 rules apply at once, pages get them on connect and on change, moderators are exempt', async () => {
  const { server, panel } = await startModerated()
  const rulesOf = nextEvent(panel, moderationEvents.roomRules)
  const socket = server.clientFrom(home, { auth: page })
  expect(await nextEvent(socket, moderationEvents.roomRules)).toStrictEqual([noRules, null])
  expect(await moderate(panel, { type: 'set-rules', rules: { accountsOnly: true } })).toMatchObject({ ok: true })
  expect(await rulesOf).toStrictEqual([{ ...noRules, accountsOnly: true }, null])
  expect(await sendText(socket, 'hello')).toMatchObject({ ok: false, code: 'not_allowed' })
  await setRules(server, { ...noRules, slowModeSeconds: 60 })
  const first = crypto.randomUUID()
  expect(await sendText(socket, 'one', first)).toMatchObject({ ok: true, seq: 1 })
  expect(await sendText(socket, 'one', first)).toMatchObject({ ok: true, seq: 1 })
  const slow = await sendText(socket, 'two')
  expect(slow).toMatchObject({ ok: false, code: 'rate_limited', retryAfterMs: expect.any(Number) as number })
  const otherTab = await connect(server, home)
  expect(await sendText(otherTab, 'two')).toMatchObject({ ok: false, code: 'rate_limited' })
  for (const text of ['one', 'two']) expect(await sendText(panel, text)).toMatchObject({ ok: true })
  const announced = nextEvent(socket, moderationEvents.roomRules)
  await operate(server, { type: 'announce', text: 'Welcome' })
  expect(await announced).toMatchObject([{ slowModeSeconds: 60 }, { text: 'Welcome' }])
})

test('MODERATION-16 a client that did not request removals receives no event of moderation', async () => {
  const { server } = await startModerated()
  const clients = [await connect(server, home, {}), await connect(server, home, { channel: 'messages' })]
  const names = clients.map((client) => {
    const seen = new Set<string>()
    client.onAny((event: string) => seen.add(event))
    return seen
  })
  await setRules(server, { slowModeSeconds: 1 })
  for (const client of clients) {
    const received = nextEvent(client, events.receiveMessage)
    await expect.poll(() => sendText(client, 'hello')).toMatchObject({ ok: true })
    await received
  }
  for (const seen of names)
    expect([...seen].filter((name) => !Object.values<string>(events).includes(name))).toStrictEqual([])
})

test('MODERATION-16 words can be changed at run time', async () => {
  const { server, panel } = await startModerated()
  const socket = await connect(server, home)
  await operate(server, { type: 'add-word', word: 'spam' })
  expect(await sendText(socket, 'buy s.p.a.m')).toMatchObject({ ok: false, code: 'not_allowed' })
  expect(await sendText(panel, 'buy spam')).toMatchObject({ ok: true })
  expect(server.server.moderation.findWords('S P A M')).toStrictEqual(['spam'])
  await operate(server, { type: 'remove-word', word: 'spam' })
  expect(await sendText(socket, 'buy spam')).toMatchObject({ ok: true })
  await expect(operate(server, { type: 'add-word', word: '!!!' })).rejects.toMatchObject({ code: 'invalid' })
})

test('MODERATION-17 a muted account that logs out, reloads, changes the name or opens a tab stays muted', async () => {
  const { server } = await startModerated()
  const account = await register(server, 'bob')
  const socket = await connect(server, home, { ...page, token: account.token })
  expect(await sendText(socket, 'hello')).toMatchObject({ ok: true })
  await operate(server, { type: 'restrict', kind: 'mute', target: { account }, minutes: 10, reason: 'spam' })
  const rejected = { ...muted('spam'), retryAfterMs: expect.any(Number) as number }
  expect(await sendText(socket, 'again')).toStrictEqual(rejected)
  const otherTab = await connect(server, elsewhere, { ...page, token: account.token })
  expect(await sendText(otherTab, 'again')).toStrictEqual(rejected)
  const reloaded = await connect(server, home)
  expect(await sendText(reloaded, 'again')).toStrictEqual(rejected)
  // The second tab has used another network.
  await expect.poll(async () => sendText(await connect(server, elsewhere), 'again')).toStrictEqual(rejected)
  expect(await sendText(await connect(server, '192.0.2.1'), 'hello')).toMatchObject({ ok: true })
  const [restriction] = server.server.moderation.restrictions()
  await operate(server, { type: 'end-restriction', id: restriction?.id ?? '' })
  expect(await sendText(socket, 'again')).toMatchObject({ ok: true })
  expect(await sendText(reloaded, 'again')).toMatchObject({ ok: true })
})

test('MODERATION-17 the repeat of a message that was stored before the mute gets its first seq, a new message is rejected', async () => {
  const { server } = await startModerated()
  const socket = await connect(server, home)
  const [id, unknown] = [crypto.randomUUID(), crypto.randomUUID()]
  expect(await sendText(socket, 'hello', id)).toMatchObject({ ok: true, seq: 1 })
  await operate(server, { type: 'restrict', kind: 'mute', target: { network: home }, minutes: null })
  expect(await sendText(socket, 'hello', id)).toStrictEqual({ ok: true, seq: 1 })
  expect(await sendText(socket, 'more', unknown)).toStrictEqual(muted())
  const [restriction] = server.server.moderation.restrictions()
  await operate(server, { type: 'end-restriction', id: restriction?.id ?? '' })
  expect(await sendText(socket, 'more', unknown)).toStrictEqual({ ok: true, seq: 2 })
})

test('MODERATION-18 a ban of a network closes its anonymous connections; a new name, socket or address in the network stays banned', async () => {
  const { server } = await startModerated()
  const user = await register(server, 'user', '2001:db8:1:2::1')
  const socket = await connect(server, '2001:db8:1:2::1')
  const presence = await connect(server, '2001:db8:1:2::1', { channel: 'presence' })
  const registered = await connect(server, '2001:db8:1:2::1', { ...page, token: user.token })
  const closed = nextEvent<[string]>(socket, 'disconnect')
  const rejected = nextEvent<[Error & { data: object }]>(socket, 'connect_error')
  const target = { network: '2001:db8:1:2::1' }
  const { restriction } = await operate(server, { type: 'restrict', kind: 'ban', target, minutes: 60 })
  // After `io server disconnect`, Socket.IO's client would not reconnect, and could not receive the ban.
  expect((await closed)[0]).toBe('transport close')
  expect((await rejected)[0]).toMatchObject({ message: 'banned', data: banned })
  const retryAfterMs = expect.any(Number) as number
  for (const auth of [page, {}, { cursor: { epoch: 'e', seq: 1 } }]) {
    expect(await rejectionOf(server, '2001:db8:1:2:ffff::9', auth)).toStrictEqual({ ...banned, retryAfterMs })
  }
  const response = await server.callFrom('2001:db8:1:2::3', routes.register, {
    name: 'new',
    email: 'new@example.org',
    password: 'secret',
  })
  expect(response.status).toBe(403)
  // Registered users, presence, pages and logins of the network are not affected.
  expect(presence.connected && registered.connected).toBe(true)
  expect(await sendText(registered, 'hello')).toMatchObject({ ok: true })
  expect(await sendText(presence, 'hello')).toMatchObject({ ok: false, code: 'not_allowed' })
  const login = () => server.callFrom('2001:db8:1:2::1', routes.login, { name: user.name, password: user.password })
  await expect.poll(async () => (await login()).status).toBe(200)
  await connect(server, '2001:db8:1:3::1')
  await operate(server, { type: 'end-restriction', id: restriction?.id ?? '' })
  await connect(server, '2001:db8:1:2::1')
})

test('MODERATION-18 a ban of an account closes all its connections and rejects anonymous messaging from its networks', async () => {
  const { server } = await startModerated()
  const account = await register(server, 'bob')
  const auth = { ...page, token: account.token }
  const sockets = [
    await connect(server, home, auth),
    await connect(server, elsewhere, auth),
    await connect(server, home, { channel: 'presence', token: account.token }),
    await connect(server, home),
  ]
  const rejections = sockets.map((socket) => nextEvent<[Error]>(socket, 'connect_error'))
  await operate(server, { type: 'restrict', kind: 'ban', target: { account }, minutes: null })
  for (const rejected of rejections) expect((await rejected)[0]).toMatchObject({ message: 'banned', data: banned })
  expect(await rejectionOf(server, '192.0.2.1', auth)).toStrictEqual(banned)
  // The server stores the network of the rejected handshake as another network of the account.
  await expect
    .poll(async () =>
      server.server.moderation.findConnectProblem(() => ({ accountId: null, network: '192.0.2.1' }), true),
    )
    .not.toBeNull()
  expect(await rejectionOf(server, '192.0.2.1')).toStrictEqual(banned)
  const login = await server.callFrom(elsewhere, routes.login, { name: account.name, password: account.password })
  expect(login.status === 503 || login.status === 200).toBe(true)
})

test('MODERATION-18 a ban closes a connection that is still in replay', async () => {
  const server = await startBehindProxy({ MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' })
  const writer = await connect(server, elsewhere)
  const [cursor] = await nextEvent<[{ epoch: string; seq: number }]>(
    server.clientFrom(home, { auth: page }),
    events.cursor,
  )
  const count = 500
  await Promise.all(Array.from({ length: count }, (_, index) => sendText(writer, `${index} ${'x'.repeat(3_000)}`)))
  const reader = server.clientFrom(home, { auth: { ...page, cursor } })
  const received = collectSocketEvents(reader, events.receiveMessage)
  const closed = nextEvent(reader, 'disconnect')
  await received.atLeast(1)
  await operate(server, { type: 'restrict', kind: 'ban', target: { network: home }, minutes: 1 })
  await closed
  expect(await rejectionOf(server, home, { ...page, cursor })).toMatchObject(banned)
})

test('MODERATION-18 a handshake that is in progress when its ban comes into effect does not connect', async () => {
  const { server } = await startModerated()
  await operate(server, { type: 'restrict', kind: 'ban', target: { network: home }, minutes: null })
  // The check of the handshake uses the state before the ban.
  vi.spyOn(server.server.moderation, 'findConnectProblem').mockReturnValueOnce(null)
  const socket = server.clientFrom(home, { auth: page, reconnection: true, reconnectionDelay: 10 })
  expect((await nextEvent<[Error]>(socket, 'connect_error'))[0].message).toBe('banned')
})

test('MODERATION-18 loopback is exempt from bans of networks unless the operator includes it', async () => {
  const { server } = await startModerated()
  const target = { network: '127.0.0.1' }
  const ban = { type: 'restrict', kind: 'ban', target, minutes: null } as const
  await expect(operate(server, ban)).rejects.toMatchObject({ code: 'not_allowed' })
  const socket = await waitForConnect(server.client({ auth: page, reconnectionDelay: 10 }))
  const rejected = nextEvent<[Error]>(socket, 'connect_error')
  await operate(server, { ...ban, loopback: true })
  expect((await rejected)[0].message).toBe('banned')
})

test('MODERATION-18 a sender without a known address cannot be restricted by network', async () => {
  const { server, panel } = await startModerated()
  const ack = await sendText(await connect(server, 'unknown'), 'hello')
  if (!ack.ok) expect.fail(ack.message)
  const { seq } = ack
  for (const type of ['mute', 'ban', 'remove-sender'] as const) {
    const action = type === 'remove-sender' ? { type, senderOf: seq } : { type, senderOf: seq, minutes: 10 }
    expect(await moderate(panel, action)).toMatchObject({ code: 'not_allowed' })
  }
  expect(await moderate(panel, { type: 'remove', seqs: [seq] })).toMatchObject({ ok: true })
})
