import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { closeTogether, type Target } from './target.ts'

export const polling = '/socket.io/?EIO=4&transport=polling'
const reopenAfterMs = 20
const messagesInLog = 700

/**
 * Runs sessions that request replays by polling as often as the server allows, and read them. Reopens closed sessions.
 */
export function repeatedReplays(target: Target, count: number): void {
  for (let i = 0; i < count; i++) void keepReplaying(target)
}

async function keepReplaying(target: Target): Promise<never> {
  for (;;) {
    await replayUntilClosed(target).catch(() => undefined)
    await pause(reopenAfterMs)
  }
}

async function replayUntilClosed(target: Target): Promise<void> {
  const headers = { 'x-forwarded-for': target.address() }
  async function call(path: string, body?: string): Promise<string> {
    const init = body === undefined ? { headers } : { headers, method: 'POST', body }
    const response = await fetch(`${target.url}${path}`, init)
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.text()
  }
  const sid = /"sid":"([^"]+)"/.exec(await call(polling))?.[1]
  const session = `${polling}&sid=${sid}`
  await call(session, '40{"channel":"messages"}')
  let text = ''
  while (!text.includes('"cursor"')) text += await call(session)
  const epoch = /"cursor",\{"epoch":"([^"]+)"/.exec(text)?.[1]
  for (;;) {
    const resume = JSON.stringify(['resume', { epoch, seq: randomInt(messagesInLog) }])
    await Promise.all([call(session, `42${resume}`), call(session)])
  }
}

/** Joins by polling, keeps a poll pending, and closes the connection at the same moment as all others. */
export function pollUntilClosed(target: Target, socket: Socket): void {
  let session = ''
  closeTogether(socket, 4_100)
  socket.on('data', (chunk) => {
    const sid = /"sid":"([^"]+)","upgrades"/.exec(chunk.toString('latin1'))?.[1]
    const isOpened = sid !== undefined
    if (isOpened) session = `${polling}&sid=${sid}`
    socket.write(
      isOpened ? target.request('POST', session, '', '40{"channel":"messages"}') : target.request('GET', session),
    )
  })
  socket.write(target.request('GET', polling))
}
