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

const app = (
  <StrictMode>
    <RoomConnectionProvider value={connection}>
      <App />
    </RoomConnectionProvider>
  </StrictMode>
)

async function open(root: HTMLElement) {
  connection.start()
  await screenAt(window.location.pathname).load().catch(reloadOnce)
  if (root.hasChildNodes()) hydrateRoot(root, app)
  else createRoot(root).render(app)
  preloadScreens()
}

const root = document.getElementById('root')
if (root === null) throw new Error('root element missing')
// Starts in a separate task, to keep the tasks of the first load short.
setTimeout(() => void open(root))
