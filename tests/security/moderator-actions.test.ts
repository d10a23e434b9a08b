import { expect, test } from 'vitest'
import { moderationEvents } from '../../contract/events.ts'
import type { ModerationAck } from '../../contract/moderation.ts'
import { moderate, operate, registerFrom, sendText } from '../support/moderation.ts'
import { collectSocketEvents, nextEvent, waitForConnect } from '../support/socket-events.ts'
import { startBehindProxy } from './from-address.ts'

const home = '198.51.100.7'
const elsewhere = '203.0.113.9'
const page = { channel: 'messages', removals: true } as const

async function startModerated(names = ['mod']) {
  const server = await startBehindProxy()
  const connect = (address: string, auth: object = {}) =>
    waitForConnect(
      server.clientFrom(address, { auth: { ...page, ...auth }, reconnection: true, reconnectionDelay: 10 }),
    )
  const register = (name: string) => registerFrom((path, body) => server.callFrom(elsewhere, path, body), name)
  const panels = []
  for (const name of names) {
    const account = await register(name)
    await operate(server, { type: 'add-moderator', account })
    panels.push(await connect(elsewhere, { token: account.token }))
  }
  return { server, connect, register, panels }
}

const seqOf = async (sent: ReturnType<typeof sendText>) => {
  const ack = await sent
  if (!ack.ok) throw new Error(ack.message)
  return ack.seq
}
const overviewOf = (ack: ModerationAck) => (ack.ok ? ack.overview : undefined)

test('MODERATION-11 two moderators remove the same message: readers are notified once, and both succeed', async () => {
  const { server, connect, panels } = await startModerated(['one', 'two'])
  const [reader, sender] = [await connect(home), await connect(home)]
  const removed = collectSocketEvents(reader, moderationEvents.messageRemoved)
  const seq = await seqOf(sendText(sender, 'secret text'))
  const acks = await Promise.all(panels.map((panel) => moderate(panel, { type: 'remove', seqs: [seq] })))
  const counts = acks.map((ack) => (ack.ok ? (ack.removed ?? 0) : -1))
  expect(counts.toSorted()).toStrictEqual([0, 1])
  // The server ignores a seq that the log does not contain.
  expect(await moderate(panels[0]!, { type: 'remove', seqs: [seq + 1_000] })).toMatchObject({ ok: true, removed: 0 })
  expect(await removed.atLeast(1)).toStrictEqual([[[seq], { removals: 1 }]])
  const audit = await server.server.moderation.audit(10)
  expect(audit.filter(({ action }) => action === 'remove')).toHaveLength(3)
  expect(JSON.stringify(audit)).not.toContain('secret text')
})

test('MODERATION-11 all messages of a sender are removed, of an account or of an anonymous network', async () => {
  const { connect, register, panels } = await startModerated()
  const bob = await register('bob')
  const [account, anonymous, other] = [
    await connect(home, { token: bob.token }),
    await connect(home),
    await connect(elsewhere),
  ]
  const seqs = []
  for (const socket of [account, anonymous, account, other]) seqs.push(await seqOf(sendText(socket, 'text')))
  const [first = 0, second = 0] = seqs
  expect(await moderate(panels[0]!, { type: 'remove-sender', senderOf: first })).toMatchObject({ ok: true, removed: 2 })
  expect(await moderate(panels[0]!, { type: 'remove-sender', senderOf: second })).toMatchObject({
    ok: true,
    removed: 1,
  })
  expect(await moderate(panels[0]!, { type: 'remove-sender', senderOf: 9_999 })).toMatchObject({ code: 'not_found' })
})

test('MODERATION-17 a moderator mutes and unmutes the sender of a message, also of one that was removed', async () => {
  const { connect, panels } = await startModerated()
  const panel = panels[0]!
  const socket = await connect('2001:db8:1:2::1')
  const seq = await seqOf(sendText(socket, 'secret text'))
  expect(await moderate(panel, { type: 'remove', seqs: [seq] })).toMatchObject({ ok: true, removed: 1 })
  const ack = await moderate(panel, { type: 'mute', senderOf: seq, minutes: 10, reason: 'flood' })
  // Moderators do not see the whole network.
  const restriction = { kind: 'mute', target: 'bob (not loggedin), 2001:db8:…', reason: 'flood' }
  expect(ack).toMatchObject({ ok: true, restriction })
  const rejected = { ok: false, code: 'not_allowed', message: 'You are muted in this room. Reason: flood' }
  expect(await sendText(socket, 'again')).toMatchObject(rejected)
  expect(await sendText(await connect('2001:db8:1:2:3::9'), 'again')).toMatchObject(rejected)
  const overview = overviewOf(await moderate(panel, { type: 'overview' }))
  expect(overview?.restrictions).toMatchObject([restriction])
  expect(overview?.audit[0]).toMatchObject({
    actor: 'mod',
    action: 'mute',
    target: restriction.target,
    reason: 'flood',
  })
  const id = overview?.restrictions[0]?.id
  expect(await moderate(panel, { type: 'end-restriction', id })).toMatchObject({ ok: true })
  expect(await moderate(panel, { type: 'end-restriction', id })).toMatchObject({ ok: false, code: 'not_found' })
  expect(await sendText(socket, 'again')).toMatchObject({ ok: true })
})

test('MODERATION-12 a moderator cannot restrict another moderator, themselves or loopback, nor remove all messages of loopback', async () => {
  const { server, panels } = await startModerated(['one', 'two'])
  const [one, two] = panels as [(typeof panels)[0], (typeof panels)[0]]
  const seqs = [await seqOf(sendText(one, 'one')), await seqOf(sendText(two, 'two'))]
  const local = await waitForConnect(server.client({ auth: page }))
  seqs.push(await seqOf(sendText(local, 'local')))
  for (const senderOf of seqs) {
    for (const type of ['mute', 'ban']) {
      expect(await moderate(one, { type, senderOf, minutes: 1 })).toMatchObject({ ok: false, code: 'not_allowed' })
    }
  }
  expect(await moderate(one, { type: 'remove-sender', senderOf: seqs[2] })).toMatchObject({ code: 'not_allowed' })
  expect(await moderate(one, { type: 'remove-sender', senderOf: seqs[2], loopback: true })).toMatchObject({ ok: false })
  expect(await sendText(two, 'still here')).toMatchObject({ ok: true })
  const target = { senderOf: seqs[1] ?? 0 }
  const rejected = nextEvent<[Error]>(two, 'connect_error')
  const result = await operate(server, { type: 'restrict', kind: 'ban', target, minutes: 1 })
  expect(result.notice).toBe('two is no longer a moderator.')
  expect((await rejected)[0].message).toBe('banned')
})
