import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { metricsHost, metricsPath } from '../../contract/routes.ts'
import { findFreePort } from '../faults/server-process.ts'
import { connected } from './listening.ts'
import { startServer } from './start-server.ts'

test('METRICS-1 what the room does is shown on a port of its own, and nowhere else', async () => {
  const port = await findFreePort()
  const server = await startServer({ METRICS_PORT: String(port) })
  const figures = async () => (await fetch(`http://${metricsHost}:${port}${metricsPath}`)).text()
  expect(await figures()).toMatch(/^chat_connections 0$/m)
  const client = await connected(server.client())
  for (let i = 0; i < 3; i++) {
    await client.emitWithAck(events.sendMessage, { username: 'a', message: 'b', createdTime: 1 })
  }
  expect(await figures()).toMatch(/^chat_connections 1$/m)
  expect(await figures()).toMatch(/^chat_messages_total 3$/m)
  expect(await figures()).toMatch(/^chat_storage_up 1$/m)
  expect((await fetch(`http://${metricsHost}:${port}/`)).status).toBe(404)
  expect((await fetch(server.url + metricsPath)).status).toBe(404)
})
