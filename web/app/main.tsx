import '../styles.css'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createRoomConnection } from '../connection/room-connection.ts'
import { RoomConnectionProvider } from '../connection/room-connection-context.ts'
import { preloadScreens } from './preload.ts'
import { reloadOnce } from './reload-once.ts'
import { screenAt } from './screens.ts'
import { ErrorNotice } from '../shell/error-boundary.tsx'

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
  try {
    await screenAt(window.location.pathname).load().catch(reloadOnce)
  } catch (error) {
    console.error(error)
    // Replace the prerendered page, which would look usable but ignore all input.
    root.replaceChildren()
    createRoot(root).render(<ErrorNotice />)
    return
  }
  if (root.hasChildNodes()) hydrateRoot(root, app)
  else createRoot(root).render(app)
  preloadScreens(connection)
}

const root = document.getElementById('root')
if (root === null) throw new Error('root element missing')
// Start in a separate task, to keep the tasks of the first load short.
setTimeout(() => void open(root))
