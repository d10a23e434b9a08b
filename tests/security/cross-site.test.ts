import { expect, test } from 'vitest'
import { nextEvent } from '../support/socket-events.ts'
import { startBehindProxy } from './from-address.ts'

const visitor = '203.0.113.7'
const handshake = '/socket.io/?EIO=4&transport=polling'

test('SECURITY-3 images on a page of another site cannot lock its visitor out of the room', async () => {
  const server = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '2' })
  const headers = { 'x-forwarded-for': visitor, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  for (let i = 0; i < 10; i++) {
    const response = await fetch(server.url + handshake, { headers })
    expect(response.status).toBe(403)
    await response.body?.cancel()
  }
  await nextEvent(server.clientFrom(visitor), 'connect')
})
