import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { accountPath, routes, socketPath } from '../../contract/routes.ts'
import { isInstalled } from '../../scripts/programs.ts'
import { startNginx } from '../support/nginx-server.ts'

interface UpstreamResponse {
  node: number
  forwardedFor: string
  host: string
}

/**
 * Starts an upstream node. A healthy node responds with its number and two request headers, a draining node with 503,
 * and a hanging node does not respond.
 */
async function startUpstream(node: number) {
  let state: 'healthy' | 'draining' | 'hanging' = 'healthy'
  let requestCount = 0
  const server = createServer((incoming, response) => {
    requestCount++
    if (state === 'hanging') return
    const { 'x-forwarded-for': forwardedFor, host } = incoming.headers
    response.writeHead(state === 'draining' ? 503 : 200)
    response.end(JSON.stringify({ node, forwardedFor, host }))
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (incoming, socket, head) => {
    if (state === 'healthy') sockets.handleUpgrade(incoming, socket, head, (open) => open.send(String(node)))
    else if (state === 'draining') socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return { port, close, requestCount: () => requestCount, setState: (now: typeof state) => void (state = now) }
}

async function startThreeNodes() {
  const nodes = await Promise.all([0, 1, 2].map(startUpstream))
  const nginx = await startNginx(nodes.map(({ port }) => port))
  onTestFinished(() => nginx.close())

  async function ask(path: string, from = '127.0.0.1', method = 'GET'): Promise<UpstreamResponse & { status: number }> {
    const options = { port: nginx.port, path, method, localAddress: from, headers: { host: 'chat.example.org' } }
    const sent = request({ host: '127.0.0.1', agent: false, ...options })
    sent.end()
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }]
    const status = response.statusCode
    const body =
      status === 200 ? ((await json(response)) as UpstreamResponse) : { node: -1, forwardedFor: '', host: '' }
    return { status, ...body }
  }
  async function upgrade(path: string, from = '127.0.0.1'): Promise<number> {
    const socket = new WebSocket(`ws://127.0.0.1:${nginx.port}${path}`, { localAddress: from })
    const [data] = (await once(socket, 'message')) as [Buffer]
    socket.terminate()
    return Number(String(data))
  }
  return { nodes, ask, upgrade, url: `http://127.0.0.1:${nginx.port}` }
}

const polling = `${socketPath}?EIO=4&transport=polling`
const webSocket = `${socketPath}?EIO=4&transport=websocket`
const addresses = Array.from({ length: 24 }, (_, index) => `127.0.1.${index + 1}`)
const threeTimes = [1, 2, 3]

test.skipIf(!isInstalled('nginx'))(
  'CLUSTER-1 nginx balances pages and WebSockets, keeps a polling session on its node, and forwards client addresses',
  async () => {
    const { ask, upgrade } = await startThreeNodes()
    const turns = await Promise.all([...threeTimes, ...threeTimes].map(() => upgrade(webSocket)))
    expect(new Set(turns)).toStrictEqual(new Set([0, 1, 2]))
    const used = new Set<number>()
    for (const from of addresses) {
      const { node, forwardedFor, host } = await ask(polling, from)
      used.add(node)
      expect([forwardedFor, host]).toStrictEqual([from, 'chat.example.org'])
      expect((await ask(`${polling}&sid=abc`, from)).node).toBe(node)
      expect((await ask(`${polling}&sid=abc`, from, 'POST')).node).toBe(node)
      expect(await upgrade(`${webSocket}&sid=abc`, from)).toBe(node)
    }
    expect(used).toStrictEqual(new Set([0, 1, 2]))
  },
)

test.skipIf(!isInstalled('nginx'))(
  'CLUSTER-1 nginx skips a node that drains, is down or hangs, for pages and for both transports',
  async () => {
    const { nodes, ask, upgrade } = await startThreeNodes()
    const spared = async () => {
      const seen = new Set<number>()
      for (const _ of threeTimes) seen.add((await ask(routes.room)).node).add(await upgrade(webSocket))
      for (const from of addresses) seen.add((await ask(polling, from)).node)
      return seen
    }
    nodes[0]?.setState('draining')
    expect(await spared()).toStrictEqual(new Set([1, 2]))
    nodes[1]?.close()
    expect(await spared()).toStrictEqual(new Set([2]))
    nodes[0]?.setState('healthy')
    // Each of the three locations detects a failed node separately.
    const isBack = async () => {
      const polled = await Promise.all(addresses.map((from) => ask(polling, from)))
      const pages = await Promise.all(threeTimes.map(() => ask(routes.room)))
      return [polled, pages].every((responses) => responses.some(({ node }) => node === 0))
    }
    await expect.poll(isBack, { timeout: 30_000, interval: 500 }).toBe(true)
    expect(await spared()).toContain(0)
    nodes[2]?.setState('hanging')
    for (const from of addresses) expect((await ask(polling, from)).node).toBe(0)
  },
)

test.skipIf(!isInstalled('nginx'))(
  'CLUSTER-1 after all nodes were down for a moment, nginx sends any number of WebSockets to each of them',
  async () => {
    const { nodes, url } = await startThreeNodes()
    const open = async () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${webSocket}`)
      onTestFinished(() => socket.terminate())
      return Promise.race([
        once(socket, 'message').then(([data]) => Number(String(data))),
        once(socket, 'unexpected-response').then(() => 'rejected' as const),
      ])
    }
    for (const node of nodes) {
      node.setState('draining')
      expect(await Promise.all(threeTimes.map(open))).not.toContain('rejected')
      node.setState('healthy')
    }
    const turns = await Promise.all(Array.from({ length: 12 }, open))
    expect(new Set(turns)).toStrictEqual(new Set([0, 1, 2]))
  },
)

test.skipIf(!isInstalled('nginx')).each([
  ['POST', routes.register],
  ['DELETE', accountPath],
])('CLUSTER-1 nginx never repeats a %s that has reached a node', async (method, path) => {
  const { nodes, ask } = await startThreeNodes()
  for (const node of nodes) node.setState('draining')
  expect((await ask(path, '127.0.0.1', method)).status).toBe(503)
  expect(nodes.reduce((sum, node) => sum + node.requestCount(), 0)).toBe(1)
  for (const node of nodes) node.setState('healthy')
  // nginx may skip the failed node for some seconds. Another node then responds.
  expect((await ask(path, '127.0.0.2', method)).status).toBe(200)
})

test.skipIf(!isInstalled('nginx'))(
  'CLUSTER-1 while all nodes are down, nginx serves a restart notice that reloads itself',
  async () => {
    const { nodes, url } = await startThreeNodes()
    for (const { close } of nodes) close()
    for (const [path, method] of [
      [routes.room, 'GET'],
      [routes.room, 'GET'],
      [accountPath, 'DELETE'],
    ] as const) {
      const response = await fetch(url + path, { method })
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([503, 'text/html'])
      expect(await response.text()).toMatch(/http-equiv="refresh".*The room is restarting/)
    }
  },
)
