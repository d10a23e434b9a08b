import { expect, test } from 'vitest'
import { openRawPolling } from '../delivery/raw-polling.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { startServer } from '../support/start-server.ts'

test('BOUNDS-5 a connection is closed after its disconnect packet', async () => {
  const server = await startServer()
  const connection = await openRawConnection(server.url)
  await connection.connect()
  connection.send('41')
  await connection.ended
  // The server sent no ping, so a missing pong did not close the connection.
  expect(connection.packets).not.toContain('2')
})

test('BOUNDS-5 a polling session ends after its disconnect packet, also if the client polls no more', async () => {
  const server = await startServer()
  const session = await openRawPolling(server.url)
  expect(await session.poll()).toContainEqual(expect.stringMatching(/^40/))
  expect((await session.post('41')).status).toBe(200)
  expect((await session.post('3')).status).toBe(400)
})
