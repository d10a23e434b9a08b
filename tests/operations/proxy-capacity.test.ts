import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { maxFrameBytes } from '../../contract/limits.ts'
import { socketPath } from '../../contract/routes.ts'
import { isInstalled } from '../../scripts/programs.ts'
import { maxOpenFiles } from '../../server/transport/http/protection/tcp-connections.ts'
import { findFreePort } from '../support/free-port.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const documentedPages = 5_000
/**
 * Number of pages. They need over three times the 768 connections of nginx's packaged configuration, and over twice the
 * usual limit of 1,024 files.
 */
const pages = 600
const connectionsPerPage = 2
/** Number of connections of nginx per page, to clients and to the server. */
const nginxConnectionsPerPage = 2 * connectionsPerPage
const connections = pages * connectionsPerPage
const opensAtOnce = 100
/** Time between two attempts to open a connection that the server rejected. */
const retryMs = 100

const sample = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')

/** Returns the value of a directive of a sample, also if it is in a comment. */
function valueOf(name: string, directive: string): number {
  const value = new RegExp(`^#? *${directive} (\\d+);?$`, 'm').exec(sample(name))?.[1]
  if (value === undefined) throw new Error(`deploy/${name} has no ${directive}`)
  return Number(value)
}

const workerConnections = valueOf('nginx.conf', 'worker_connections')
const workerFiles = valueOf('nginx.conf', 'worker_rlimit_nofile')

test(`OPERATING-9 the proxy samples allow the connections of ${documentedPages} pages`, () => {
  expect(workerConnections).toBeGreaterThan(documentedPages * nginxConnectionsPerPage)
  expect(workerFiles).toBeGreaterThan(workerConnections)
  // HAProxy derives its limit from the limit of open files.
  expect(sample('haproxy.cfg')).not.toMatch(/^ *maxconn/m)
})

test.each(['nginx.conf', 'nginx-cluster.conf'])('OPERATING-9 %s passes the largest polling payload', (name) => {
  const kib = /client_max_body_size (\d+)k;/.exec(sample(name))?.[1]
  expect(Number(kib) * 1_024).toBeGreaterThanOrEqual(maxFrameBytes)
})

async function startNginx(serverPort: number): Promise<number> {
  const folder = temporaryFolder()
  const port = await findFreePort()
  const site = sample('nginx.conf')
    .replace('listen 80', `listen 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${serverPort}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log stderr;
    worker_processes 1; worker_rlimit_nofile ${workerFiles}; events { worker_connections ${workerConnections}; }
    http { access_log off; ${temporary.join(' ')} ${site} }`,
  )
  const nginx = spawn('nginx', ['-e', 'stderr', '-c', file], { stdio: 'ignore' })
  onTestFinished(() => void nginx.kill('SIGTERM'))
  const isOpen = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isOpen).toBe(true)
  return port
}

/**
 * Opens one connection of a page. Resolves when the connection has joined the room. The connection does not request the
 * online list, because this test measures the proxy and not the server.
 */
function joinRoom(port: number, onMessage: () => void): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const address = `ws://127.0.0.1:${port}${socketPath}?EIO=4&transport=websocket`
    const socket = new WebSocket(address, { perMessageDeflate: false })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed before it had joined')))
    socket.on('message', (data: Buffer) => {
      const packet = data.toString('utf8', 0, 40)
      if (packet.startsWith('0')) socket.send('40{"channel":"messages"}')
      else if (packet === '2') socket.send('3')
      else if (packet.startsWith('40')) resolve(socket)
      else if (packet.startsWith(`42["${events.receiveMessage}"`)) onMessage()
    })
  })
}

test.skipIf(!isInstalled('nginx'))(
  `OPERATING-9 nginx with the lines of the sample serves ${pages} pages, and every connection receives a message`,
  { timeout: 600_000 },
  async () => {
    // This process and the server have one descriptor per connection, nginx has two.
    expect(maxOpenFiles() ?? Infinity, 'ulimit -n is too low for this test').toBeGreaterThan(
      pages * nginxConnectionsPerPage + 500,
    )
    const server = spawnServer({
      env: { DATA_DIR: temporaryFolder(), TRUST_PROXY: '127.0.0.1', PUBLIC_ORIGINS: 'http://chat.example.org' },
    })
    const port = await startNginx(Number(new URL(await server.opened()).port))
    let received = 0
    const sockets: WebSocket[] = []
    onTestFinished(() => sockets.forEach((socket) => socket.terminate()))
    const open = async (): Promise<void> => {
      try {
        sockets.push(await joinRoom(port, () => received++))
      } catch (error) {
        // On a busy machine, the server rejects connections while its event loop is late. Pages also retry.
        if (!String(error).includes('503')) throw error
        await pause(retryMs)
        await open()
      }
    }
    for (let opened = 0; opened < connections; opened += opensAtOnce) {
      await Promise.all(Array.from({ length: opensAtOnce }, () => open()))
    }
    expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(connections)
    sockets[0]?.send(`42["${events.sendMessage}",{"username":"ann","message":"hello","createdTime":1}]`)
    await expect.poll(() => received, { timeout: 120_000 }).toBe(connections)
  },
)
