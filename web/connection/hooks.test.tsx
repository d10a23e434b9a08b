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

function AllHooks({ onActions }: { onActions: (actions: unknown) => void }) {
  onActions(useRoomActions())
  const [anonymousName] = useAnonymousName()
  const values = {
    status: useConnectionStatus().kind,
    messages: useMessages().length,
    online: useOnlineUsers().length,
    draft: useSender(({ draft }) => draft),
    outbox: useSender(({ outbox }) => outbox.length),
    identity: useIdentity(),
    notice: useIdentityNotice(),
    anonymousName,
  }
  return <pre dangerouslySetInnerHTML={{ __html: JSON.stringify(values) }} />
}

test('ID-1 CHAT-4 during prerendering the hooks return the values of a page before it connects', () => {
  const connection = createRoomConnection()
  connection.actions.setDraft('typed before the page was hydrated')
  let actions: unknown
  const html = renderToString(
    <RoomConnectionProvider value={connection}>
      <AllHooks onActions={(given) => (actions = given)} />
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

test('RT-1 a component outside the provider throws instead of opening a third connection', () => {
  expect(() => renderToString(<AllHooks onActions={() => {}} />)).toThrow(/RoomConnectionProvider/)
})
