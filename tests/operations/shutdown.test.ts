import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { probes, socketPath } from '../../contract/routes.ts'
import { createBuiltClone } from '../support/clone-project.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { isRunning, processTree } from '../support/process-tree.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

let clone = ''
const cleanUps: (() => void)[] = []
beforeAll(() => {
  clone = createBuiltClone((clean) => cleanUps.push(clean))
})
afterAll(() => cleanUps.forEach((clean) => clean()))

/** Runs `npm start` with one connected client. */
async function openRoom(command: [string, ...string[]] = ['npm', 'start']) {
  const npm = spawnServer({ command, cwd: clone, env: { DATA_DIR: temporaryFolder() }, ownGroup: true })
  const url = await npm.opened()
  const processes = processTree(npm.pid)
  onTestFinished(() => processes.forEach(({ pid }) => isRunning(pid) && process.kill(pid, 'SIGKILL')))
  // Only clients that requested extensions receive the restart notice.
  const auth = { positions: true }
  const client = io(url, { transports: ['websocket'], reconnection: false, forceNew: true, auth })
  onTestFinished(() => void client.close())
  await waitForConnect(client)
  const pidOf = (part: string) => {
    const found = processes.find(({ command }) => command.includes(part))
    if (found === undefined) throw new Error(`no ${part} among ${JSON.stringify(processes)}`)
    return found.pid
  }
  const restarting = nextEvent(client, events.restarting, 30_000)
  // Handle a rejection here, because not every test awaits this promise.
  restarting.catch(() => undefined)
  return { npm, url, processes, pidOf, restarting }
}

type Room = Awaited<ReturnType<typeof openRoom>>

async function expectNoProcessLeft({ url, processes }: Room): Promise<void> {
  await expect.poll(() => processes.filter(({ pid }) => isRunning(pid))).toStrictEqual([])
  expect(await isOpen(Number(new URL(url).port))).toBe(false)
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

test.each([
  ['SIGTERM to npm', 'SIGTERM', ({ npm }: Room) => npm.pid],
  ['SIGTERM to the launcher', 'SIGTERM', ({ pidOf }: Room) => pidOf('launch.mjs')],
  ['SIGTERM to the server', 'SIGTERM', ({ pidOf }: Room) => pidOf('start.ts')],
  ['SIGHUP to the server', 'SIGHUP', ({ pidOf }: Room) => pidOf('start.ts')],
  ['SIGQUIT to the launcher', 'SIGQUIT', ({ pidOf }: Room) => pidOf('launch.mjs')],
  ['Ctrl-C', 'SIGINT', ({ npm }: Room) => -npm.pid],
] as const)(
  'OPERATING-2 on %s the server drains, npm waits and exits with 0, and no process is left',
  async (_, signal, target) => {
    const room = await openRoom()
    process.kill(target(room), signal)
    await room.restarting
    expect(await room.npm.exited).toBe(0)
    await expectNoProcessLeft(room)
  },
)

test.each([
  ['npm', ({ npm }: Room) => npm.pid],
  ['the launcher', ({ pidOf }: Room) => pidOf('launch.mjs')],
] as const)('OPERATING-2 after kill -9 of %s the server drains and no process is left', async (_, target) => {
  const room = await openRoom()
  process.kill(target(room), 'SIGKILL')
  await room.restarting
  await expectNoProcessLeft(room)
})

test('OPERATING-2 when its terminal closes the server drains and no process is left', async () => {
  const room = await openRoom(['script', '-qefc', 'npm start', '/dev/null'])
  process.kill(room.npm.pid, 'SIGKILL')
  await room.restarting
  await expectNoProcessLeft(room)
})

test('OPERATING-2 a second Ctrl-C exits immediately with the code of the signal', async () => {
  const room = await openRoom()
  const server = room.pidOf('start.ts')
  // A client that keeps sending gets the longest drain, which takes longer than the key presses below.
  const sender = io(room.url, { transports: ['websocket'], forceNew: true })
  const sending = setInterval(
    () => sender.emit(events.sendMessage, { username: 'a', message: 'b', createdTime: 1 }),
    100,
  )
  onTestFinished(() => {
    clearInterval(sending)
    sender.close()
  })
  await nextEvent(sender, events.receiveMessage)
  process.kill(-room.npm.pid, 'SIGINT')
  await expect.poll(() => room.npm.output.stdout).toContain('press Ctrl-C again after two seconds to exit at once')
  const again = setInterval(() => isRunning(server) && process.kill(-room.npm.pid, 'SIGINT'), 400)
  onTestFinished(() => clearInterval(again))
  expect(await room.npm.exited).toBe(130)
  clearInterval(again)
  await expectNoProcessLeft(room)
})

test('OPERATING-2 when a signal kills the server, the exit code of the launcher is 128 plus the number of the signal', async () => {
  const room = await openRoom([process.execPath, 'scripts/launch.mjs', 'start'])
  process.kill(room.pidOf('start.ts'), 'SIGKILL')
  expect(await room.npm.exited).toBe(128 + 9)
  await expectNoProcessLeft(room)
})

test('OPERATING-2 SIGUSR1 and SIGUSR2 neither open the debugger nor stop the server or the launcher', async () => {
  const room = await openRoom()
  for (const part of ['launch.mjs', 'start.ts']) {
    for (const signal of ['SIGUSR1', 'SIGUSR2']) process.kill(room.pidOf(part), signal)
  }
  const alone = spawnServer({ cwd: clone, env: { DATA_DIR: temporaryFolder() } })
  await alone.opened()
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    alone.kill(signal)
    await expect.poll(() => alone.output.stdout).toMatch(new RegExp(`"${signal}".*signal ignored`))
  }
  for (const server of [room.npm, alone]) {
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect(server.output.stderr).not.toContain('Debugger')
  }
})

test('OPERATING-2 without free file descriptors the server logs a line and accepts connections again when some are free', async () => {
  const openFiles = 160
  const server = spawnServer({
    command: ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" server/main.ts`, process.execPath],
    cwd: clone,
    env: { DATA_DIR: temporaryFolder() },
  })
  const url = await server.opened()
  expect(server.output.stdout).toContain('the limit of open files (ulimit -n) is low')
  const sockets: Socket[] = []
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  // Open the connections one after the other: the server closes idle connections to accept new connections.
  while (!server.output.stdout.includes('connections rejected') && sockets.length < openFiles) {
    const socket = createConnection({ port: Number(new URL(url).port) })
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(
      `GET ${socketPath}?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    // A rejected connection may be reset.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined)
  }
  await expect.poll(() => server.output.stdout).toContain('connections rejected: maximum number of connections reached')
  expect(server.output.stdout.split('connections rejected')).toHaveLength(2)
  sockets.forEach((socket) => socket.destroy())
  await expect.poll(() => fetch(url + probes.ready).then(({ status }) => status, String)).toBe(200)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})

test('OPERATING-2 an uncaught error causes one fatal log line and kills the process', async () => {
  const defect = 'setTimeout(() => Promise.reject(new Error("uncaught test error")), 1500)'
  const server = spawnServer({
    command: [process.execPath, '--import', `data:text/javascript,${defect}`, 'server/main.ts'],
    cwd: clone,
    env: { DATA_DIR: temporaryFolder() },
  })
  expect(await server.exited).toBe('SIGKILL')
  const lines = server.output.stdout.trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 60, err: { message: 'uncaught test error' } })
  expect(server.output.stderr).toBe('')
})
