import '../styles.css'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createRoomConnection } from '../connection/room-connection.ts'
import { RoomConnectionProvider } from '../connection/room-connection-context.ts'
import { preloadScreens } from './preload.ts'
import { reloadOnce } from './reload-once.ts'
import { screenAt } from './screens.ts'

const connection = createRoomConnection()

const page = (
  <StrictMode>
    <RoomConnectionProvider value={connection}>
      <App />
    </RoomConnectionProvider>
  </StrictMode>
)

async function open(root: HTMLElement) {
  connection.start()
  await screenAt(window.location.pathname).load().catch(reloadOnce)
  if (root.hasChildNodes()) hydrateRoot(root, page)
  else createRoot(root).render(page)
  preloadScreens()
}

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
// A task of its own: the script is long enough to hold up the page for one.
setTimeout(() => void open(root))
