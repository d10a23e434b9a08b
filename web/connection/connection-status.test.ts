import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { combineStatus, type ConnectionStatus, type LinkState } from './connection-status.ts'

const connecting: LinkState = { kind: 'connecting', isRestarting: false }
const live: LinkState = { kind: 'live', isConfirmed: true, isRestarting: false }
const lost = (retryAtMs: number | null): LinkState => ({ kind: 'lost', retryAtMs, isRestarting: false })

const combined: [messaging: LinkState, presence: LinkState, status: ConnectionStatus][] = [
  [connecting, connecting, { kind: 'connecting' }],
  [connecting, live, { kind: 'connecting' }],
  [live, connecting, { kind: 'connecting' }],
  [live, live, { kind: 'live' }],
  [lost(5), live, { kind: 'lost', online: true, retryAtMs: 5 }],
  [live, lost(null), { kind: 'lost', online: true, retryAtMs: null }],
  [connecting, lost(7), { kind: 'lost', online: true, retryAtMs: 7 }],
  [lost(5), lost(7), { kind: 'lost', online: true, retryAtMs: 5 }],
  [live, { ...live, isRestarting: true }, { kind: 'restarting' }],
  [{ ...lost(5), isRestarting: true }, live, { kind: 'restarting' }],
]
test.each(combined)('RT-6 messaging %j and presence %j combine to %j', (messaging, presence, status) => {
  expect(combineStatus(messaging, presence, true)).toEqual(status)
})

test('RT-6 a lost page says whether the browser is offline', () => {
  expect(combineStatus(lost(null), live, false)).toMatchObject({ online: false })
})

const unconfirmed: LinkState = { ...live, isConfirmed: false }
test.each([
  [unconfirmed, unconfirmed, { kind: 'lost', online: false, retryAtMs: null }],
  [unconfirmed, live, { kind: 'lost', online: false, retryAtMs: null }],
  [connecting, connecting, { kind: 'lost', online: false, retryAtMs: null }],
  [lost(5), { ...live, isRestarting: true }, { kind: 'lost', online: false, retryAtMs: 5 }],
  [live, live, { kind: 'live' }],
] as const)(
  'CONNECTION-1 in an offline browser, messaging %j and presence %j combine to %j',
  (messaging, presence, status) => {
    expect(combineStatus(messaging, presence, false)).toEqual(status)
  },
)

test('RT-6 every state comes about, and the pill has a look for it', () => {
  const hasOwnLook: Record<ConnectionStatus['kind'], boolean> = {
    connecting: false,
    live: true,
    restarting: true,
    lost: true,
  }
  expect(new Set(combined.map(([, , { kind }]) => kind))).toEqual(new Set(Object.keys(hasOwnLook)))
  const styles = readFileSync(new URL('../shell/shell.css', import.meta.url), 'utf8')
  for (const [kind, looks] of Object.entries(hasOwnLook)) {
    expect(styles.includes(`[data-connection='${kind}']`), kind).toBe(looks)
  }
})
