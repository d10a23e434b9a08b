import { expect, test } from 'vitest'
import { events, moderationEvents } from '../../contract/events.ts'
import { openLivePage, until, waitForMessages } from '../../tests/web/page-session.ts'
import { createScriptedLog } from '../../tests/web/scripted-room.ts'

test('MODERATION-30 a page shows a removal at once, and requests missed removals when it returns', async () => {
  const log = createScriptedLog()
  const { room, page, socket } = await openLivePage(log)
  socket.emit(events.cursor, { epoch: log.epoch, seq: 0, removals: 2 }, { head: 0 })
  room.broadcast('one')
  room.broadcast('two')
  await waitForMessages(page, '1 one', '2 two')
  socket.emit(moderationEvents.messageRemoved, [1], { removals: 3 })
  await waitForMessages(page, '1 message removed', '2 two')
  socket.disconnect(true)
  await until(() =>
    expect(log.handshakes.at(-1)).toMatchObject({ removals: true, cursor: { epoch: log.epoch, seq: 2, removals: 3 } }),
  )
})
