import { expect, test } from 'vitest'
import { moderationEvents } from '../../../contract/events.ts'
import type { ModerationAck } from '../../../contract/moderation.ts'
import { restarting, serverErrorText } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { Moderation } from '../../moderation/open-moderation.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import type { Connection } from './connection.ts'
import type { GuardedWriter } from './guarded-writer.ts'
import { createListener, type EventHandler } from './listen.ts'
import { moderateConnections } from './moderate-connections.ts'
import type { RoomServer } from './socket-server.ts'

/** Opens the connection of a moderator. `perform` performs each action. */
function openModerator(perform: () => Promise<object>) {
  const { report, types } = collectEvents()
  const moderated = moderateConnections({ sockets: { sockets: new Map() } } as unknown as RoomServer, {
    moderation: { onChange: () => undefined, perform } as unknown as Moderation,
    sessions: { isRevoked: () => false },
    writer: {} as GuardedWriter,
  })
  const listener = createListener(
    {
      [moderationEvents.moderate]: (...event: Parameters<EventHandler<Connection>>) => moderated.handleAction(...event),
    },
    report,
    () => undefined,
  )
  const connection = {
    identity: { kind: 'account', accountId: 'a', name: 'ann', tokenHash: 'h' },
    unacknowledged: 0,
    isClosing: false,
  } as Connection
  const moderate = () =>
    new Promise<ModerationAck>((resolve) =>
      listener(connection, moderationEvents.moderate, [{ type: 'overview' }, resolve]),
    )
  return { connection, moderate, types }
}

test('DRAIN-3 a drain waits for the accepted actions of a moderator, and further ones are rejected', async () => {
  const { promise: performed, resolve: finish } = Promise.withResolvers<object>()
  const { connection, moderate } = openModerator(() => performed)
  const first = moderate()
  connection.isClosing = true
  expect(await moderate()).toStrictEqual({ ok: false, ...restarting().toRejection() })
  expect(connection.unacknowledged).toBe(1)
  finish({ ok: true, removed: 2 })
  expect(await first).toStrictEqual({ ok: true, removed: 2 })
  expect(connection.unacknowledged).toBe(0)
})

test('MODERATION-33 a moderator receives the reason why an action failed, and an unexpected error is reported', async () => {
  const rejected = openModerator(async () => Promise.reject(new RejectionError('not_found', 'Gone.')))
  expect(await rejected.moderate()).toStrictEqual({ ok: false, code: 'not_found', message: 'Gone.' })
  expect(rejected.types()).toStrictEqual(['request-rejected'])
  const failed = openModerator(async () => Promise.reject(new Error('defect')))
  expect(await failed.moderate()).toMatchObject({ ok: false, code: 'unavailable', message: serverErrorText })
  expect(failed.types()).toStrictEqual(['handler-failed', 'request-rejected'])
  expect([rejected, failed].map(({ connection }) => connection.unacknowledged)).toStrictEqual([0, 0])
})
