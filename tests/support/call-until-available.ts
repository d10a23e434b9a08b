import { expect } from 'vitest'
import type { TestServer } from './start-server.ts'

/** Repeats a call while it responds with 503. A busy machine rejects logins to keep chat responsive. */
export async function callUntilAvailable(
  node: Pick<TestServer, 'call'>,
  path: string,
  body: object,
): Promise<Response> {
  let response = await node.call(path, body)
  await expect
    .poll(async () => {
      if (response.status === 503) response = await node.call(path, body)
      return response.status
    })
    .not.toBe(503)
  return response
}
