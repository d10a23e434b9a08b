import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { combineStatus, type ConnectionStatus, type LinkState } from './connection-status.ts'

const connecting: LinkState = { kind: 'connecting', isRestarting: false }
const live: LinkState = { kind: 'live', isConfirmed: true, isRestarting: false }
const lost = (retryAtMs: number | null): LinkState => ({ kind: 'lost', retryAtMs, isRestarting: false })

const banned: LinkState = { kind: 'banned', message: 'no', endsAtMs: 9, isRestarting: false }

const combined: [messaging: LinkState, presence: LinkState, status: ConnectionStatus][] = [
  [connecting, connecting, { kind: 'connecting' }],
  [connecting, live, { kind: 'connecting' }],
  [live, connecting, { kind: 'connecting' }],
  [live, live, { kind: 'live' }],
  [lost(5), live, { kind: 'lost', retryAtMs: 5 }],
  [live, lost(null), { kind: 'lost', retryAtMs: null }],
  [connecting, lost(7), { kind: 'lost', retryAtMs: 7 }],
  [lost(5), lost(7), { kind: 'lost', retryAtMs: 5 }],
  [live, { ...live, isRestarting: true }, { kind: 'restarting' }],
  [{ ...lost(5), isRestarting: true }, live, { kind: 'restarting' }],
  [banned, live, { kind: 'banned', message: 'no', endsAtMs: 9 }],
]
test.each(combined)('RT-6 messaging %j and presence %j combine to %j', (messaging, presence, status) => {
  expect(combineStatus(messaging, presence, true)).toEqual(status)
})

const unconfirmed: LinkState = { ...live, isConfirmed: false }
const combinedOffline: [messaging: LinkState, presence: LinkState, status: ConnectionStatus][] = [
  [unconfirmed, unconfirmed, { kind: 'offline', retryAtMs: null }],
  [unconfirmed, live, { kind: 'offline', retryAtMs: null }],
  [connecting, connecting, { kind: 'offline', retryAtMs: null }],
  [lost(null), live, { kind: 'offline', retryAtMs: null }],
  [lost(5), { ...live, isRestarting: true }, { kind: 'offline', retryAtMs: 5 }],
  [live, live, { kind: 'live' }],
]
test.each(combinedOffline)(
  'CONNECTION-1 in an offline browser, messaging %j and presence %j combine to %j',
  (messaging, presence, status) => {
    expect(combineStatus(messaging, presence, false)).toEqual(status)
  },
)

test('RT-6 CONNECTION-1 every status can occur, and the status label has a style for each except connecting', () => {
  const hasStyle: Record<ConnectionStatus['kind'], boolean> = {
    connecting: false,
    live: true,
    restarting: true,
    lost: true,
    offline: true,
    banned: true,
  }
  const kinds = [...combined, ...combinedOffline].map(([, , { kind }]) => kind)
  expect(new Set(kinds)).toEqual(new Set(Object.keys(hasStyle)))
  const styles = readFileSync(new URL('../shell/shell.css', import.meta.url), 'utf8')
  for (const [kind, isStyled] of Object.entries(hasStyle)) {
    expect(styles.includes(`[data-connection='${kind}']`), kind).toBe(isStyled)
  }
})
