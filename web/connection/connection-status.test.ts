import { expect, test } from 'vitest'
import { combineStatus, type LinkState } from './connection-status.ts'

const connecting: LinkState = { kind: 'connecting', restarting: false }
const live: LinkState = { kind: 'live', proven: true, restarting: false }
const lost = (retryAtMs: number | null): LinkState => ({ kind: 'lost', retryAtMs, restarting: false })

test.each([
  [connecting, connecting, { kind: 'connecting' }],
  [connecting, live, { kind: 'connecting' }],
  [live, connecting, { kind: 'connecting' }],
  [live, live, { kind: 'live' }],
  [lost(5), live, { kind: 'lost', online: true, retryAtMs: 5 }],
  [live, lost(null), { kind: 'lost', online: true, retryAtMs: null }],
  [connecting, lost(7), { kind: 'lost', online: true, retryAtMs: 7 }],
  [lost(5), lost(7), { kind: 'lost', online: true, retryAtMs: 5 }],
  [live, { ...live, restarting: true }, { kind: 'restarting' }],
  [{ ...lost(5), restarting: true }, live, { kind: 'restarting' }],
] as const)('RT-6 messaging %j and presence %j make %j', (messaging, presence, status) => {
  expect(combineStatus(messaging, presence, true)).toEqual(status)
})

test('RT-6 a lost page says whether the browser is offline', () => {
  expect(combineStatus(lost(null), live, false)).toMatchObject({ online: false })
})

const doubted: LinkState = { ...live, proven: false }
test.each([
  [doubted, doubted, { kind: 'lost', online: false, retryAtMs: null }],
  [doubted, live, { kind: 'lost', online: false, retryAtMs: null }],
  [connecting, connecting, { kind: 'lost', online: false, retryAtMs: null }],
  [lost(5), { ...live, restarting: true }, { kind: 'lost', online: false, retryAtMs: 5 }],
  [live, live, { kind: 'live' }],
] as const)('CONNECTION-1 offline, messaging %j and presence %j make %j', (messaging, presence, status) => {
  expect(combineStatus(messaging, presence, false)).toEqual(status)
})
