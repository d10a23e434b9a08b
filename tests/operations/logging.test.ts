import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { probes } from '../../contract/routes.ts'
import { createLogDestination } from '../../server/observe/log-destination.ts'
import { openLogOutput } from '../../server/observe/log-output.ts'
import { findFreePort } from '../support/free-port.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

/** Creates a full pipe. Returns its writing end and a function that reads from it. */
function createFullPipe() {
  const path = join(temporaryFolder(), 'log')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  onTestFinished(() => closeSync(reader))
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    for (;;) {
      try {
        writeSync(reader, Buffer.alloc(size, '.'))
      } catch {
        break
      }
    }
  }
  const buffer = Buffer.alloc(65_536)
  /** Reads everything that is available without blocking. */
  function read(): string {
    let text = ''
    for (;;) {
      try {
        text += buffer.toString('utf8', 0, readSync(reader, buffer))
      } catch {
        return text
      }
    }
  }
  return { writer, read }
}

/** Starts a server that logs to this descriptor. Checks that the server stores a message and exits with code 0. */
async function expectServerWorks(stdout: number): Promise<void> {
  const port = await findFreePort()
  const server = spawnServer({
    env: { DATA_DIR: temporaryFolder(), PORT: String(port) },
    stdout,
  })
  const url = `http://127.0.0.1:${port}`
  const ready = () => fetch(url + probes.ready).then((response) => response.status, String)
  await expect.poll(ready, { timeout: 45_000 }).toBe(200)
  const client = io(url, { transports: ['websocket'], forceNew: true })
  onTestFinished(() => void client.close())
  await waitForConnect(client)
  const ack: unknown = await client.timeout(10_000).emitWithAck(events.sendMessage, {
    username: 'ann',
    message: 'hello',
    createdTime: 1,
  })
  expect(ack).toMatchObject({ ok: true })
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.output.stderr).toBe('')
}

test('OPERATING-1 with its log on a full disk the server stores messages and exits on SIGTERM', async () => {
  await expectServerWorks(openSync('/dev/full', 'w'))
})

test('OPERATING-1 with a log pipe that is never read the server stores messages and exits on SIGTERM', async () => {
  await expectServerWorks(createFullPipe().writer)
})

test('OPERATING-1 with a closed log pipe the server stores messages and exits on SIGTERM', async () => {
  const path = join(temporaryFolder(), 'log')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  closeSync(reader)
  await expectServerWorks(writer)
})

test('OPERATING-1 the log buffer is bounded; after a stall the buffered lines follow in order and the dropped lines are counted', async () => {
  const pipe = createFullPipe()
  const dropped: number[] = []
  const maxBufferedBytes = 10_000
  const destination = createLogDestination(openLogOutput(pipe.writer), {
    maxBufferedBytes,
    onDropped: (lines) => dropped.push(lines),
  })
  const line = (number: number) => `line ${String(number).padStart(94, '0')}\n`
  for (let number = 0; number < 250; number++) {
    destination.write(line(number))
    if (number % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  let text = ''
  await expect
    .poll(() => {
      text += pipe.read().replaceAll('.', '')
      return dropped
    })
    .toStrictEqual([150])
  destination.write('again\n')
  await destination.flush(5_000)
  text += pipe.read()
  expect(text).toBe(`${Array.from({ length: 100 }, (_, number) => line(number)).join('')}again\n`)
})

test('OPERATING-1 at process exit the buffered lines are written if possible, without waiting', async () => {
  const pipe = createFullPipe()
  const blocked = createLogDestination(openLogOutput(pipe.writer))
  blocked.write('first\n')
  await blocked.flush(50)
  blocked.write('last\n')
  blocked.writeRest()
  expect(pipe.read()).not.toContain('last')

  const free = createFullPipe()
  free.read()
  const destination = createLogDestination(openLogOutput(free.writer))
  destination.write('first\n')
  destination.write('last\n')
  destination.writeRest()
  expect(free.read()).toBe('first\nlast\n')
})

test('OPERATING-1 at process exit a write of a thread is awaited for a moment, and no further write starts', async () => {
  let started = 0
  let finish: () => void = () => undefined
  const destination = createLogDestination({
    usesThread: true,
    write(chunk, done) {
      started++
      finish = () => done(null, chunk.length)
    },
    writeNow: ({ length }) => length,
  })
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  destination.write('first\n')
  await nextTurn()
  destination.write('second\n')
  expect(await destination.blocksExit(20)).toBe(true)
  const blocks = destination.blocksExit(60_000)
  finish()
  expect(await blocks).toBe(false)
  await nextTurn()
  expect(started).toBe(1)
})
