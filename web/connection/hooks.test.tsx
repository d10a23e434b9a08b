import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import {
  useAnonymousName,
  useConnectionStatus,
  useIdentity,
  useIdentityNotice,
  useMessages,
  useOnlineUsers,
  useRoomActions,
  useSender,
} from './hooks.ts'
import { RoomConnectionProvider } from './room-connection-context.ts'
import { createRoomConnection } from './room-connection.ts'

function Everything({ onActions }: { onActions: (actions: unknown) => void }) {
  onActions(useRoomActions())
  const [anonymousName] = useAnonymousName()
  const known = {
    status: useConnectionStatus().kind,
    messages: useMessages().length,
    online: useOnlineUsers().length,
    draft: useSender().draft,
    outbox: useSender().outbox.length,
    identity: useIdentity(),
    notice: useIdentityNotice(),
    anonymousName,
  }
  return <pre dangerouslySetInnerHTML={{ __html: JSON.stringify(known) }} />
}

test('ID-1 CHAT-4 without a browser the hooks tell what a page knows before it has connected', () => {
  const connection = createRoomConnection()
  connection.actions.setDraft('typed before the page was hydrated')
  let actions: unknown
  const html = renderToString(
    <RoomConnectionProvider value={connection}>
      <Everything onActions={(given) => (actions = given)} />
    </RoomConnectionProvider>,
  )
  expect(JSON.parse(html.replaceAll(/<\/?pre>/g, ''))).toEqual({
    status: 'connecting',
    messages: 0,
    online: 0,
    draft: '',
    outbox: 0,
    identity: 'anonymous-not-loggedin',
    notice: null,
    anonymousName: 'anonymous',
  })
  expect(actions).toBe(connection.actions)
})

test('RT-1 a screen outside of its provider is an error, not a third connection', () => {
  expect(() => renderToString(<Everything onActions={() => {}} />)).toThrow(/RoomConnectionProvider/)
})
