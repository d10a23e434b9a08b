import { expect, test } from 'vitest'
import type { Admission } from '../../limits/admission.ts'
import { createGuard } from '../../base/error-guard.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import { serveConnections } from './serve-connections.ts'
import type { RoomServer } from './socket-server.ts'

type Deps = Parameters<typeof serveConnections>[1]
type Middleware = (socket: object, next: () => void) => void

/** Serves a client for which no position is found. Returns the reported rejections and whether the server closed it. */
async function connectWithoutPosition(readyState: 'open' | 'closed') {
  const { report, of } = collectEvents()
  let admitSocket: Middleware = () => undefined
  const io = { use: (middleware: Middleware) => (admitSocket = middleware), on: () => undefined }
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  serveConnections(
    io as unknown as RoomServer,
    {
      admit: () => ({ rejection: null, address: '192.0.2.1' }) as ReturnType<Admission['admit']>,
      moderation: { checkHandshake: () => undefined },
      sessions: { authenticate: async () => null, setConnections: () => undefined },
      audience: {
        newcomerPosition: async () => {
          ask()
          return null
        },
      },
      cost: {},
      guard: createGuard(report),
      report,
    } as unknown as Deps,
  )
  let isClosed = false
  const conn = { readyState, close: () => (isClosed = true) }
  admitSocket({ handshake: { auth: {} }, conn }, () => undefined)
  await asked
  await new Promise(setImmediate)
  return { reasons: of('request-rejected').map(({ reason }) => reason), isClosed }
}

test('OPERATING-6 a client that leaves while its position is read is not counted as rejected', async () => {
  expect(await connectWithoutPosition('closed')).toStrictEqual({ reasons: [], isClosed: false })
  expect(await connectWithoutPosition('open')).toStrictEqual({ reasons: ['connect_unavailable'], isClosed: true })
})
