import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../support/free-port.ts'

type Response = [type: number, id: number, error: object | null, result: { value?: unknown } | null]

/** Reads messages of the Marionette protocol: the length in bytes, a colon, and JSON. */
function readMessages(socket: Socket) {
  const messages: unknown[] = []
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const start = bytes.indexOf(':') + 1
      const end = start + Number(bytes.toString('utf8', 0, Math.max(0, start - 1)))
      if (start === 0 || bytes.length < end) return
      messages.push(JSON.parse(bytes.toString('utf8', start, end)))
      bytes = bytes.subarray(end)
      socket.emit('message')
    }
  })
  return async () => {
    while (messages.length === 0) await once(socket, 'message')
    return messages.shift()
  }
}

async function open(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      // Firefox does not listen yet.
      await delay(100)
    }
  }
}

/**
 * Starts a Firefox in which the test can run privileged (system) scripts over Marionette. WebDriver has no input methods.
 * A system script can simulate one, which causes the same trusted events.
 */
export async function launchFirefoxSystem() {
  const port = await findFreePort()
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
  writeFileSync(join(profile, 'user.js'), `user_pref("marionette.port", ${port});\n`)
  const options = ['-marionette', '-headless', '-no-remote', '-remote-allow-system-access', '-profile', profile]
  const firefox = spawn(process.env['FIREFOX'] ?? '/usr/bin/firefox-esr', options, { stdio: 'ignore' })
  const socket = await open(port)
  const nextMessage = readMessages(socket)
  await nextMessage()

  let calls = 0
  async function call(command: string, parameters: object) {
    const text = JSON.stringify([0, ++calls, command, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [, , error, result] = (await nextMessage()) as Response
    if (error !== null) throw new Error(`${command}: ${JSON.stringify(error)}`)
    return result?.value
  }
  const runIn = (context: 'content' | 'chrome') => async (script: string) => {
    await call('Marionette:SetContext', { value: context })
    return call('WebDriver:ExecuteScript', { script, args: [], sandbox: context === 'chrome' ? 'system' : null })
  }

  await call('WebDriver:NewSession', { capabilities: {} })
  return {
    open: (url: string) => call('WebDriver:Navigate', { url }),
    /** Runs a script in the page and returns its result. */
    run: runIn('content'),
    /** Runs a script in the browser's own window. */
    runInSystem: runIn('chrome'),
    async close() {
      socket.destroy()
      firefox.kill()
      if (firefox.exitCode === null && firefox.signalCode === null) await once(firefox, 'exit')
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
