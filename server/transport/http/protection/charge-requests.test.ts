import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { networksOf } from '../../../limits/addresses.ts'
import { createRequestBudget } from '../../../limits/request-budget.ts'
import { createOrigins } from '../origins.ts'
import { chargeRequests } from './charge-requests.ts'

const visitor = '203.0.113.7'

/** Creates the step with a stopped clock. `send` returns whether a request from the visitor's address passes. */
function createStep(publicOrigins: string[] = [], isTooCostly = false) {
  const report = () => undefined
  const step = chargeRequests({
    budget: createRequestBudget(1, () => 0),
    foreignBudget: createRequestBudget(1, () => 0),
    isTooCostly: () => isTooCostly,
    networksOf: () => networksOf(visitor),
    isProxy: () => false,
    origins: createOrigins({ publicOrigins, allowedOrigins: [] }, report),
    report,
  })
  const connect = () => {
    const socket = {
      remoteAddress: visitor,
      destroyed: false,
      bytesWritten: 0,
      destroy: () => undefined,
      end: () => undefined,
    } as unknown as Socket
    step.onConnection?.(socket)
    return socket
  }
  function send(headers: Record<string, string> = {}, url = '/'): boolean {
    const socket = connect()
    const all = { host: 'room', ...headers }
    const request = { socket, headers: all, rawHeaders: Object.entries(all).flat(), httpVersion: '1.1', url }
    const response = Object.assign(new EventEmitter(), { socket })
    let passed = false
    step.onRequest?.(
      request as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      () => (passed = true),
    )
    return passed
  }
  return { send }
}

const accepted = (count: number, send: () => boolean) => Array.from({ length: count }, send).filter(Boolean).length

test('SECURITY-3 requests that a page of another site makes do not use up the budget of its visitor', () => {
  const withVisitor = createStep()
  const alone = createStep()
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  const limit = accepted(5_000, () => alone.send())
  expect(limit).toBeGreaterThan(500)
  expect(accepted(1_300, () => withVisitor.send(foreign))).toBe(1_300)
  expect(withVisitor.send(foreign)).toBe(false)
  // The rejected request has used a connection, which costs as much as a request of the visitor.
  expect(accepted(5_000, () => withVisitor.send())).toBeGreaterThanOrEqual(limit - 1)
})

test('LIMITS-8 requests of an address that has used too much CPU time are rejected, except those of its polling sessions', () => {
  const { send } = createStep([], true)
  expect(['/', '/login', '/socket.io/?EIO=4&transport=polling'].map((url) => send({}, url))).not.toContain(true)
  expect(send({}, '/socket.io/?EIO=4&transport=polling&sid=x')).toBe(true)
})

test.each(['a b', 'user@room', 'room/x', 'room:port', '[::1', 'room:80:80', 'x'.repeat(300)])(
  'SECURITY-5 a request with the invalid Host %j is rejected',
  (host) => expect(createStep().send({ host })).toBe(false),
)

test.each(['room', 'Room.example:3001', '[2001:db8::1]:80', 'my_room', 'xn--bcher-kva.example', ''])(
  'SECURITY-5 a request with the Host %j passes',
  (host) => expect(createStep().send({ host })).toBe(true),
)

test('SECURITY-5 with PUBLIC_ORIGINS, requests for other host names are rejected', () => {
  const { send } = createStep(['https://chat.example.org'])
  expect(['chat.example.org', 'localhost', '10.0.0.5'].map((host) => send({ host }))).toStrictEqual([true, true, true])
  expect(send({ host: 'evil.example' })).toBe(false)
})
