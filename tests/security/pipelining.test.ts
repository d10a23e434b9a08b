import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { maxUnansweredPerConnection } from '../../server/transport/http/protection/limit-requests.ts'
import { startServer } from '../support/start-server.ts'
import { openTcp } from './raw-http.ts'

const requests = 5_000

async function assetOf(url: string): Promise<string> {
  return /"(\/assets\/react-[^"]+\.js)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
}

const openDescriptors = () => readdirSync('/proc/self/fd').length

test.runIf(process.platform === 'linux')(
  'EDGE-2 thousands of pipelined requests with unread responses take neither descriptors nor memory',
  async () => {
    const { url } = await startServer()
    const get = `GET ${await assetOf(url)} HTTP/1.1\r\nHost: x\r\n\r\n`
    const before = { descriptors: openDescriptors(), bytes: process.memoryUsage().rss }
    const connections = await Promise.all(Array.from({ length: 4 }, () => openTcp(url)))
    for (const connection of connections) connection.pause().write(get.repeat(requests))
    let worst = 0
    const watching = setInterval(() => (worst = Math.max(worst, openDescriptors())), 5)
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200)
    for (const connection of connections) connection.resume()
    await Promise.all(connections.map(({ ended }) => ended))
    clearInterval(watching)
    expect(worst - before.descriptors).toBeLessThan(100)
    expect(process.memoryUsage().rss - before.bytes).toBeLessThan(100_000_000)
  },
)

test('EDGE-2 a few pipelined requests all get a response, in order', async () => {
  const { url } = await startServer()
  const connection = await openTcp(url)
  const paths = Array.from({ length: maxUnansweredPerConnection }, (_, i) => (i % 2 === 0 ? '/healthz' : '/nowhere'))
  const last = paths.length - 1
  connection.write(
    paths
      .map((path, i) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${i === last ? 'Connection: close\r\n' : ''}\r\n`)
      .join(''),
  )
  const statuses = [...(await connection.ended).matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])
  expect(statuses).toStrictEqual(paths.map((path) => (path === '/healthz' ? '200' : '404')))
})

test('EDGE-2 the number of sequential requests on one connection is not limited', async () => {
  const { url } = await startServer()
  const connection = await openTcp(url)
  const responseCount = () => connection.received().split('HTTP/1.1 200').length - 1
  for (let i = 1; i <= maxUnansweredPerConnection * 4; i++) {
    connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(responseCount, { interval: 2 }).toBe(i)
  }
})
