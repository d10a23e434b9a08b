import { afterAll, beforeAll } from 'vitest'
import { startServer, type TestServer } from './start-server.ts'

/**
 * Starts one server for all tests of a file, and returns a function that returns the server. A start takes more CPU
 * time than most tests. Tests that need an empty room or exact counts start their own server.
 */
export function shareServer(env: Record<string, string> = {}): () => TestServer {
  let server: TestServer | null = null
  const cleanUps: (() => Promise<void>)[] = []
  beforeAll(async () => {
    server = await startServer(env, { whenDone: (clean) => void cleanUps.push(clean) })
  })
  afterAll(async () => {
    for (const clean of cleanUps) await clean()
  })
  return () => {
    if (server === null) throw new Error('the shared server is not running')
    return server
  }
}
