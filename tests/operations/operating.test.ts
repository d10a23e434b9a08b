import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:http'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import { removedText } from '../../contract/constants.ts'
import { apiDescriptionPath, routes, socketPath } from '../../contract/routes.ts'
import { isInstalled } from '../../scripts/programs.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { createBuiltClone } from '../support/clone-project.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { processTree } from '../support/process-tree.ts'
import { startServer } from '../support/start-server.ts'
import { projectRoot } from '../support/project-root.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const isRoot = process.getuid?.() === 0
const guide = readFileSync(join(projectRoot, 'docs/operating.md'), 'utf8')
const sample = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')

/** Runs a code block of the guide unchanged. */
function runBlock(name: string, env: Record<string, string>): string {
  const script = new RegExp(`^\`\`\`sh ${name}\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1]
  if (script === undefined) throw new Error(`docs/operating.md has no block ${name}`)
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', '-c', script], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return stdout
}

async function openRoom(dataDir: string) {
  const server = spawnServer({ env: { DATA_DIR: dataDir } })
  const url = await server.opened()
  const client = io(url, { transports: ['websocket'], forceNew: true, auth: { positions: true } })
  onTestFinished(() => void client.close())
  const firstCursor = nextEvent<[{ epoch: string; seq: number }]>(client, events.cursor)
  await waitForConnect(client)
  const [{ epoch }] = await firstCursor
  return {
    url,
    epoch,
    output: server.output,
    send: (text: string) =>
      client.emitWithAck(events.sendMessage, { username: 'ann', message: text, createdTime: 1 }) as Promise<{
        seq: number
      }>,
    async close() {
      client.close()
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
    },
  }
}

function textsIn(dataDir: string): string[] {
  const database = new DatabaseSync(dataFiles(dataDir).messages, { readOnly: true })
  const rows = database.prepare('SELECT message FROM messages ORDER BY seq').all()
  database.close()
  return rows.map(({ message }) => String(message))
}

test.skipIf(!isInstalled('sqlite3'))(
  'OPERATING-9 the commands of the guide back up a running server, restore, and remove a message and a user',
  async () => {
    const dataDir = temporaryFolder()
    const backupDir = join(temporaryFolder(), 'backup')
    mkdirSync(backupDir)
    const env = { DATA_DIR: dataDir, BACKUP_DIR: backupDir }
    const first = await openRoom(dataDir)
    await first.send('kept')
    const { seq } = await first.send('an unwanted secret')
    const body = JSON.stringify({ name: 'bartholomew', email: 'bartholomew@example.org', password: 'a password' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${first.url}/register`, { method: 'POST', headers, body })).status).toBe(201)
    // Create all records that a file may keep of a user: a rejected name, a failed login, a login.
    expect((await fetch(`${first.url}/register`, { method: 'POST', headers, body })).status).toBe(409)
    for (const password of ['wrong', 'a password']) {
      const login = JSON.stringify({ name: 'bartholomew', password })
      expect((await fetch(`${first.url}/login`, { method: 'POST', headers, body: login })).status).toBe(200)
    }
    runBlock('backup', env)
    await first.send('after the backup')
    await first.close()

    runBlock('restore', env)
    expect(textsIn(dataDir)).toStrictEqual(['kept', 'an unwanted secret'])
    const second = await openRoom(dataDir)
    expect(second.epoch).not.toBe(first.epoch)
    expect(second.output.stdout).toContain('sqlite: log epoch changed')
    await second.close()

    expect(runBlock('find-message', { ...env, TEXT: 'secret' })).toBe(`${seq}|ann (not loggedin)|an unwanted secret\n`)
    runBlock('remove-message', { ...env, SEQ: String(seq) })
    runBlock('remove-user', { ...env, NAME: 'bartholomew' })
    const kept = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const names = kept.map(({ name }) => name)
    for (const name of databaseNames) expect(names).toContain(basename(dataFiles(dataDir)[name]))
    // A restore keeps the replaced files for the operator in a separate folder.
    for (const { name, parentPath } of kept.filter(({ parentPath }) => !parentPath.includes('before-restore-'))) {
      expect(readFileSync(join(parentPath, name), 'latin1'), name).not.toMatch(/unwanted secret|bartholomew/i)
    }
    const third = await openRoom(dataDir)
    expect((await fetch(`${third.url}/register`, { method: 'POST', headers, body })).status).toBe(201)
    await third.close()
    expect(textsIn(dataDir)).toStrictEqual(['kept', removedText])
  },
  180_000,
)

const units = ['chat-room.service', 'chat-room@.service']

test.skipIf(!isInstalled('systemd-analyze')).for(units)('OPERATING-9 the systemd unit %s is valid', (name) => {
  const unit = join(projectRoot, 'deploy', name)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes('chat-room'))).toStrictEqual([])
  expect(status).toBe(0)
})

test.skipIf(!isRoot)(
  'OPERATING-9 as process 1 of a container npm forwards SIGTERM and waits for the drain',
  async () => {
    const clone = createBuiltClone(onTestFinished)
    const container = spawnServer({
      command: ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'npm', 'start'],
      cwd: clone,
      env: { DATA_DIR: temporaryFolder() },
    })
    const options = { transports: ['websocket'], reconnection: false, forceNew: true, auth: { positions: true } }
    const client = io(await container.opened(), options)
    onTestFinished(() => void client.close())
    await waitForConnect(client)
    const restarting = nextEvent(client, events.restarting, 30_000)
    const npm = processTree(container.pid)[1]
    process.kill(npm?.pid ?? 0, 'SIGTERM')
    await restarting
    expect(await container.exited).toBe(0)
  },
  180_000,
)

interface Proxy {
  name: 'nginx' | 'caddy' | 'haproxy'
  /** Returns the sample configuration with the ports of the test. */
  configure: (port: number, serverPort: number, folder: string) => string
  start: (file: string, folder: string) => ChildProcess
}

const withPorts = (text: string, usual: string, ours: string, serverPort: number) => {
  for (const part of [usual, '127.0.0.1:3001']) if (!text.includes(part)) throw new Error(`the sample has no ${part}`)
  return text.replace(usual, ours).replaceAll('127.0.0.1:3001', `127.0.0.1:${serverPort}`)
}

const proxies: Proxy[] = [
  {
    name: 'nginx',
    configure: (port, serverPort, folder) => {
      const site = withPorts(sample('nginx.conf'), 'listen 80', `listen 127.0.0.1:${port}`, serverPort)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      return `${isRoot ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log stderr;
        events {} http { access_log off; ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
        ${site} }`
    },
    start: (file) => spawn('nginx', ['-e', 'stderr', '-c', file], { stdio: 'ignore' }),
  },
  {
    name: 'caddy',
    configure: (port, serverPort) =>
      `{\n\tadmin off\n}\n${withPorts(sample('Caddyfile'), 'chat.example.org {', `:${port} {`, serverPort)}`,
    start: (file, folder) =>
      spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
        stdio: 'ignore',
        env: { ...process.env, HOME: folder },
      }),
  },
  {
    name: 'haproxy',
    configure: (port, serverPort) => withPorts(sample('haproxy.cfg'), 'bind :80', `bind 127.0.0.1:${port}`, serverPort),
    start: (file) => spawn('haproxy', ['-f', file], { stdio: 'ignore' }),
  },
]

function statusOf(url: string, options: RequestOptions, body = ''): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

for (const { name, configure, start } of proxies) {
  test.skipIf(!isInstalled(name))(
    `OPERATING-9 behind ${name} with the sample configuration, pages, HTTP calls, WebSocket and polling work, and client addresses are kept`,
    async () => {
      const folder = temporaryFolder()
      const [port, serverPort] = [await findFreePort(), await findFreePort()]
      const server = spawnServer({
        env: {
          DATA_DIR: temporaryFolder(),
          PORT: String(serverPort),
          TRUST_PROXY: '127.0.0.1',
          PUBLIC_ORIGINS: 'http://chat.example.org',
        },
      })
      await server.opened()
      const file = join(folder, 'proxy.conf')
      writeFileSync(file, configure(port, serverPort, folder))
      const proxy = start(file, folder)
      onTestFinished(() => void proxy.kill('SIGTERM'))
      const url = `http://127.0.0.1:${port}`
      await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBe(200)

      // A browser sends the host of its address bar in the headers Host and Origin.
      const headers = { host: 'chat.example.org', origin: 'http://chat.example.org' }
      const client = io(url, { transports: ['websocket'], forceNew: true, extraHeaders: headers, reconnection: false })
      onTestFinished(() => void client.close())
      await waitForConnect(client)
      const message = { username: 'ann', message: 'hello', createdTime: 1 }
      expect(await client.emitWithAck(events.sendMessage, message)).toMatchObject({ ok: true })
      // The client library overrides the Host header of its polling requests.
      expect(await statusOf(`${url}${socketPath}?EIO=4&transport=polling`, { headers })).toBe(200)
      const body = JSON.stringify({ name: 'unknown', password: 'wrong' })
      const asJson = { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) }
      expect(await statusOf(`${url}${routes.login}`, { method: 'POST', headers: asJson }, body)).toBe(200)
      expect(server.output.stdout).not.toContain('"level":40')
    },
    120_000,
  )
}

test('OPERATING-9 package.json and the API description have the same version', async () => {
  const { url } = await startServer()
  const described = (await (await fetch(url + apiDescriptionPath)).json()) as { info: { version: string } }
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
  expect(described.info.version).toBe(manifest.version)
})

test.each(['nginx.conf', 'nginx-cluster.conf', 'haproxy.cfg'])(
  'DOCS-4 the timeouts for open connections in deploy/%s are longer than the heartbeat',
  (name) => {
    const [, section = ''] = sample(name).split('heartbeat')
    const [, lines = ''] = /^.*\n((?:.*timeout.*\n)+)/.exec(section) ?? []
    const timeouts = [...lines.matchAll(/timeout(?: client| server| tunnel)? (\d+)s/g)]
    expect(timeouts.length).toBeGreaterThan(1)
    for (const [line, given] of timeouts) {
      expect(Number(given) * 1_000, line).toBeGreaterThan(pingIntervalMs + pingTimeoutMs)
    }
  },
)
