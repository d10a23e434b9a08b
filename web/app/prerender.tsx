import type { notFoundPath, Route } from '../../contract/routes.ts'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { App } from './app.tsx'
import { createRoomConnection } from '../connection/room-connection.ts'
import { RoomConnectionProvider } from '../connection/room-connection-context.ts'
import { notFoundScreen, screens } from './screens.ts'

export interface PrerenderedPage {
  path: Route | typeof notFoundPath
  title: string
  source: string
  html: string
}

const pages = [...screens, notFoundScreen]

/** Renders every screen in its state before the page connects. */
export async function renderPages(): Promise<PrerenderedPage[]> {
  await Promise.all(pages.map((screen) => screen.load()))
  const connection = createRoomConnection()
  return pages.map(({ path, title, source }) => ({
    path,
    title,
    source,
    html: renderToString(
      <StrictMode>
        <RoomConnectionProvider value={connection}>
          <App prerenderPath={path} />
        </RoomConnectionProvider>
      </StrictMode>,
    ),
  }))
}
