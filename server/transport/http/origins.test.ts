import { expect, test } from 'vitest'
import { collectEvents } from '../../observe/events.suite.ts'
import { createOrigins } from './origins.ts'

const room = 'chat.example.org'

function originsOf(publicOrigins: string[] = [], allowedOrigins: string[] = []) {
  const { report, of, types } = collectEvents()
  const origins = createOrigins({ publicOrigins, allowedOrigins }, report)
  return { ...origins, types, reported: () => of('origin-rejected').length }
}

test('SECURITY-5 an https origin is not the origin of an http room, and vice versa', () => {
  const { isAllowedOrigin } = originsOf()
  const isAllowed = (origin: string, protocol?: string) =>
    isAllowedOrigin({ headers: { origin, host: room, 'x-forwarded-proto': protocol } })
  expect([isAllowed(`http://${room}`), isAllowed(`https://${room}`)]).toStrictEqual([true, false])
  expect([isAllowed(`http://${room}`, 'https'), isAllowed(`https://${room}`, 'https')]).toStrictEqual([false, true])
})

test('SECURITY-5 behind a TLS proxy that does not set X-Forwarded-Proto, the log reports the protocol, not the host name', () => {
  const { isAllowedOrigin, types } = originsOf()
  expect(isAllowedOrigin({ headers: { origin: `https://${room}`, host: room } })).toBe(false)
  expect(isAllowedOrigin({ headers: { origin: 'https://evil.example', host: room } })).toBe(false)
  expect(types()).toStrictEqual(['origin-protocol-rejected', 'origin-rejected'])
  expect(originsOf([`https://${room}`]).isAllowedOrigin({ headers: { origin: `https://${room}`, host: room } })).toBe(
    true,
  )
})

test('SECURITY-5 with PUBLIC_ORIGINS, a page of another host name that resolves to this server is rejected', () => {
  const rebound = { origin: 'http://evil.example:3001', host: 'evil.example:3001' }
  expect(originsOf().isAllowedOrigin({ headers: rebound })).toBe(true)
  const { isAllowedOrigin, isOwnHost } = originsOf([`https://${room}`])
  expect(isAllowedOrigin({ headers: rebound })).toBe(false)
  expect(isAllowedOrigin({ headers: { origin: `https://${room}`, host: room } })).toBe(true)
  expect(isAllowedOrigin({ headers: { origin: 'http://10.0.0.5:3001', host: '10.0.0.5:3001' } })).toBe(true)
  for (const host of [
    room,
    'CHAT.example.org:8080',
    `${room}.`,
    'localhost:3001',
    '10.0.0.5',
    '[2001:db8::1]:80',
    undefined,
  ])
    expect(isOwnHost(host), host).toBe(true)
  for (const host of ['evil.example', `${room}.evil.example`, `x.${room}`, '10.0.0.5.evil.example'])
    expect(isOwnHost(host), host).toBe(false)
})

test('SECURITY-5 a request of another site without Origin, such as an image, is rejected without a log line', () => {
  const { isAllowedOrigin, reported } = originsOf()
  expect(isAllowedOrigin({ headers: { host: room, 'sec-fetch-site': 'cross-site' } })).toBe(false)
  for (const site of ['same-origin', 'same-site', 'none', undefined]) {
    expect(isAllowedOrigin({ headers: { host: room, 'sec-fetch-site': site } }), site).toBe(true)
  }
  expect(reported()).toBe(0)
})

test('SECURITY-5 foreign requests are those of other sites that neither the visitor nor an allowed origin made', () => {
  const { isForeign } = originsOf([], ['https://partner.example'])
  const crossSite = { host: room, 'sec-fetch-site': 'cross-site' }
  expect(isForeign({ headers: { ...crossSite, 'sec-fetch-dest': 'image' } })).toBe(true)
  expect(isForeign({ headers: { ...crossSite, 'sec-fetch-dest': 'iframe' } })).toBe(true)
  expect(isForeign({ headers: { ...crossSite, origin: 'https://evil.example' } })).toBe(true)
  expect(isForeign({ headers: { ...crossSite, 'sec-fetch-dest': 'document' } })).toBe(false)
  expect(isForeign({ headers: { ...crossSite, origin: 'https://partner.example' } })).toBe(false)
  expect(isForeign({ headers: { host: room } })).toBe(false)
})
