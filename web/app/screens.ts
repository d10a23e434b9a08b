import { type ComponentType, createElement, type ReactElement, useCallback, useState } from 'react'
import { notFoundPath, type Route, routes } from '../../contract/routes.ts'
import { LoadingScreen } from './loading-screen.tsx'

interface ScreenDescription {
  title: string
  /** Source file that `fetch` imports. The build adds preload links for its chunk to the page. */
  source: string
  fetch: () => Promise<ComponentType>
}

/** Creates a screen with its own code chunk. A loaded screen renders at once. */
function createScreen<Path extends string>(path: Path, { fetch, title, source }: ScreenDescription) {
  let loaded: ComponentType | null = null
  const load = async () => {
    loaded ??= await fetch()
    return loaded
  }
  function ScreenView(): ReactElement {
    const [screen, setScreen] = useState(() => loaded)
    const onLoad = useCallback((component: ComponentType) => setScreen(() => component), [])
    return screen === null ? createElement(LoadingScreen, { load, onLoad }) : createElement(screen)
  }
  /** Loads the code in advance. Ignores errors, because the screen loads the code again when it is opened. */
  const preload = () => void load().catch(() => undefined)
  return { path, title, source, load, preload, component: ScreenView }
}

const descriptions: Record<Route, ScreenDescription> = {
  [routes.room]: {
    title: 'Chat Room',
    source: 'room/room-screen.tsx',
    fetch: async () => (await import('../room/room-screen.tsx')).RoomScreen,
  },
  [routes.register]: {
    title: 'Create an account · Chat Room',
    source: 'accounts/register-screen.tsx',
    fetch: async () => (await import('../accounts/register-screen.tsx')).RegisterScreen,
  },
  [routes.login]: {
    title: 'Login · Chat Room',
    source: 'accounts/login-screen.tsx',
    fetch: async () => (await import('../accounts/login-screen.tsx')).LoginScreen,
  },
  [routes.users]: {
    title: 'Users · Chat Room',
    source: 'accounts/users-screen.tsx',
    fetch: async () => (await import('../accounts/users-screen.tsx')).UsersScreen,
  },
}

export const screens = Object.values(routes).map((path) => createScreen(path, descriptions[path]))

/** Screen for all other paths. The server sends its page, `404.html`, with status 404. */
export const notFoundScreen = createScreen(notFoundPath, {
  title: 'Not found · Chat Room',
  source: 'shell/not-found-screen.tsx',
  fetch: async () => (await import('../shell/not-found-screen.tsx')).NotFoundScreen,
})

export const screenAt = (path: string) => screens.find((screen) => screen.path === path) ?? notFoundScreen
