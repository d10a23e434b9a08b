import { expect, test } from 'vitest'
import { combineStatus, type LinkState } from './connection-status.ts'

const connecting: LinkState = { phase: 'connecting', restarting: false }
const live: LinkState = { phase: 'live', restarting: false }
const lost = (retryAtMs: number | null): LinkState => ({ phase: 'lost', retryAtMs, restarting: false })

test.each([
  [connecting, connecting, { state: 'connecting' }],
  [connecting, live, { state: 'connecting' }],
  [live, connecting, { state: 'connecting' }],
  [live, live, { state: 'live' }],
  [lost(5), live, { state: 'lost', online: true, retryAtMs: 5 }],
  [live, lost(null), { state: 'lost', online: true, retryAtMs: null }],
  [connecting, lost(7), { state: 'lost', online: true, retryAtMs: 7 }],
  [lost(5), lost(7), { state: 'lost', online: true, retryAtMs: 5 }],
  [live, { ...live, restarting: true }, { state: 'restarting' }],
  [{ ...lost(5), restarting: true }, live, { state: 'restarting' }],
] as const)('RT-6 messaging %j and presence %j make %j', (messaging, presence, status) => {
  expect(combineStatus(messaging, presence, true)).toEqual(status)
})

test('RT-6 a lost page says whether the browser is offline', () => {
  expect(combineStatus(lost(null), live, false)).toMatchObject({ online: false })
})
