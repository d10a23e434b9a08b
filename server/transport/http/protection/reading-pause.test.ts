import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReadingPause, maxResumedPerTurn } from './reading-pause.ts'

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

test('SECURITY-7 after a pause, the server reads again from a limited number of connections in each turn', () => {
  const reading = createReadingPause()
  const sockets = Array.from({ length: maxResumedPerTurn + 10 }, () => {
    const socket = new PassThrough().resume() as unknown as Socket
    reading.add(socket)
    return socket
  })
  const pausedCount = () => sockets.filter((socket) => socket.isPaused()).length
  reading.pause()
  expect(reading.resume()).toBe(true)
  expect(pausedCount()).toBe(10)
  expect(reading.resume()).toBe(false)
  expect(pausedCount()).toBe(0)
})
