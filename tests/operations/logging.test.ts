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

/** A pipe that is full to the brim, its reader, and an end to write to. */
function fullPipe() {
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
  /** Everything that can be read now. */
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

/** Starts a server whose log goes nowhere, and sees that the room works and ends in order all the same. */
async function worksWithout(stdout: number): Promise<void> {
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
  const answer: unknown = await client.timeout(10_000).emitWithAck(events.sendMessage, {
    username: 'ann',
    message: 'hello',
    createdTime: 1,
  })
  expect(answer).toMatchObject({ ok: true })
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.output.stderr).toBe('')
}

test('OPERATING-1 a log on a full disk: the room works, and SIGTERM ends the server', async () => {
  await worksWithout(openSync('/dev/full', 'w'))
})

test('OPERATING-1 a log that nobody reads: the room works, and SIGTERM ends the server', async () => {
  await worksWithout(fullPipe().writer)
})

test('OPERATING-1 a log whose reader is gone: the room works, and SIGTERM ends the server', async () => {
  const path = join(temporaryFolder(), 'log')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  closeSync(reader)
  await worksWithout(writer)
})

test('OPERATING-1 what waits for the log is bounded; when it can be written again, the rest comes in order and the dropped lines are counted', async () => {
  const pipe = fullPipe()
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

test('OPERATING-1 the last words are written when the process ends, and never waited for', async () => {
  const pipe = fullPipe()
  const stuck = createLogDestination(openLogOutput(pipe.writer))
  stuck.write('first\n')
  await stuck.flush(50)
  stuck.write('last\n')
  stuck.writeRest()
  expect(pipe.read()).not.toContain('last')

  const free = fullPipe()
  free.read()
  const destination = createLogDestination(openLogOutput(free.writer))
  destination.write('first\n')
  destination.write('last\n')
  destination.writeRest()
  expect(free.read()).toBe('first\nlast\n')
})
