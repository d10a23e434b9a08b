import { expect, test } from 'vitest'
import { moderationEvents } from '../../contract/events.ts'
import { noRules } from '../../contract/constants.ts'
import { openLivePage, openPage, openRoom, until, waitUntilLive } from '../../tests/web/page-session.ts'
import { createScriptedPage } from '../../tests/web/scripted-page.ts'
import { createScriptedLog } from '../../tests/web/scripted-room.ts'
import { noModeration } from './moderation.ts'

test('MODERATION-31 a page receives rules and announcement, and has no moderation state while none is in effect', async () => {
  const { page, socket } = await openLivePage()
  const rules = { ...noRules, slowModeSeconds: 30 }
  socket.emit(moderationEvents.roomRules, rules, { id: 'a', text: 'hello' })
  await until(() => expect(page.moderation.get()).toMatchObject({ rules, announcement: { text: 'hello' } }))
  socket.emit(moderationEvents.roomRules, noRules, null)
  await until(() => expect(page.moderation.get()).toBe(noModeration))
})

test('MODERATION-33 an action of a moderator resolves with a result, also without a connection', async () => {
  const { page, room, socket } = await openLivePage()
  socket.emit(moderationEvents.role, 'moderator')
  await until(() => expect(page.moderation.get().isModerator).toBe(true))
  socket.on(moderationEvents.moderate, (action, ack) => ack({ ok: true, removed: action.type === 'remove' ? 1 : 0 }))
  expect(await page.actions.moderate({ type: 'remove', seqs: [1] })).toEqual({ ok: true, removed: 1 })
  socket.removeAllListeners(moderationEvents.moderate)
  const unanswered = page.actions.moderate({ type: 'overview' })
  await room.crash()
  expect(await unanswered).toMatchObject({ ok: false, code: 'unavailable' })
  expect(await page.actions.moderate({ type: 'overview' })).toMatchObject({ ok: false, code: 'unavailable' })
  page.actions.logIn('bob', 'other token')
  expect(page.moderation.get().isModerator).toBe(false)
})

test('MODERATION-32 a banned page has the status banned and does not connect again before the end of the ban', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, {
    reject: ({ channel, token }) => (channel === 'messages' && token === undefined ? 'banned' : null),
    retryAfterMs: 3_600_000,
  })
  const scripted = createScriptedPage()
  const page = openPage(room.url, {}, scripted)
  await until(() => expect(page.status.get().kind).toBe('banned'))
  const status = page.status.get()
  expect(status.kind === 'banned' && (status.endsAtMs ?? 0) - Date.now()).toBeGreaterThan(3_500_000)
  const attempts = () => log.handshakes.filter(({ channel }) => channel === 'messages').length
  page.actions.retryNow()
  scripted.setOnline(false)
  scripted.setOnline(true)
  expect(page.status.get().kind).toBe('banned')
  expect(attempts()).toBe(1)
  // A login changes the identity of the page, and the ban may not apply to the new identity.
  page.actions.logIn('bob', 'token')
  await waitUntilLive(page)
  expect(attempts()).toBe(2)
})

test.each([20, 40 * 86_400_000])('MODERATION-32 after a ban of %i ms the page connects again', async (retryAfterMs) => {
  const log = createScriptedLog()
  let isBanned = true
  const room = await openRoom(log, {
    reject: ({ channel }) => (channel === 'messages' && isBanned ? 'banned' : null),
    retryAfterMs,
  })
  const scripted = createScriptedPage()
  const page = openPage(room.url, {}, scripted)
  await until(() => expect(page.status.get().kind).toBe('banned'))
  isBanned = false
  if (retryAfterMs > 1_000) {
    scripted.advanceTime(retryAfterMs)
    page.actions.retryNow()
  }
  await waitUntilLive(page)
})
