import './styles.css'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createRoomConnection } from './connection/room-connection.ts'
import { RoomConnectionProvider } from './connection/room-connection-context.ts'
import { preloadScreens } from './preload.ts'
import { screenAt } from './screens.ts'

const connection = createRoomConnection()
connection.start()

const page = (
  <StrictMode>
    <RoomConnectionProvider value={connection}>
      <App />
    </RoomConnectionProvider>
  </StrictMode>
)

async function draw(root: HTMLElement) {
  await screenAt(window.location.pathname)?.load()
  if (root.hasChildNodes()) hydrateRoot(root, page)
  else createRoot(root).render(page)
}

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
void draw(root).then(preloadScreens)
