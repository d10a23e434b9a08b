import { expect, test } from 'vitest'
import { createLogDestination } from './log-destination.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('OPERATING-1 the number of dropped lines is logged when the buffer has space for it, not when it is still full', async () => {
  const written: string[] = []
  let endWrite: () => void = () => undefined
  const destination = createLogDestination(
    {
      write(chunk, done) {
        written.push(Buffer.from(chunk).toString())
        endWrite = () => done(null, chunk.length)
      },
      usesThread: false,
      writeNow: () => 0,
    },
    { maxBufferedBytes: 20, onDropped: (lines) => destination.write(`dropped ${lines}\n`) },
  )
  destination.write('1\n')
  await nextTurn()
  // While the first line is being written, other lines fill the buffer.
  for (const line of ['234567890123456\n', 'lost\n', 'lost\n']) destination.write(line)
  expect(written).toStrictEqual(['1\n'])
  for (let writes = 0; writes < 3; writes++) endWrite()
  expect(written).toStrictEqual(['1\n', '234567890123456\n', 'dropped 2\n'])
})
