import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReadingPause } from './reading-pause.ts'

test('SECURITY-7 after a pause, the server reads last from the connections whose requests it has just read', async () => {
  const reading = createReadingPause()
  const resumed: string[] = []
  const open = (name: string) => {
    const socket = new PassThrough().resume() as unknown as Socket
    socket.on('resume', () => resumed.push(name))
    reading.add(socket)
    return socket
  }
  const first = open('first')
  open('second')
  open('third')
  reading.moveToEnd(first)
  await nextTurn()
  reading.pause()
  resumed.length = 0
  reading.resume()
  await expect.poll(() => resumed).toStrictEqual(['second', 'third', 'first'])
})
