import { type ComponentType, createElement, lazy, useState } from 'react'
import { routes } from '../../contract/routes.ts'
import { reloadOnce } from './reload-once.ts'

export interface Screen {
  path: string
  title: string
  /** Source file. The build adds preload links for its chunk to the page, to fetch it with the first script. */
  source: string
  component: ComponentType
  load: () => Promise<unknown>
  /** Loads the code in advance. Errors are ignored here and reported when the screen is opened. */
  preload: () => void
}

interface ScreenDescription {
  path: string
  title: string
  source: string
  fetch: () => Promise<ComponentType>
}

/** Creates a screen with its own code chunk. A loaded screen renders without a Suspense fallback. */
function createScreen({ fetch, ...description }: ScreenDescription): Screen {
  let loaded: ComponentType | null = null
  const load = async () => {
    loaded ??= await fetch()
    return loaded
  }
  const Lazy = lazy(async () => ({ default: await load().catch(reloadOnce) }))
  function ScreenView() {
    // Chosen once: a change of the component type would remount the screen and lose its form fields.
    const [component] = useState<ComponentType>(() => loaded ?? Lazy)
    return createElement(component)
  }
  return { ...description, load, preload: () => void load().catch(() => undefined), component: ScreenView }
}

export const screens: readonly Screen[] = [
  createScreen({
    path: routes.room,
    title: 'Chat Room',
    source: 'room/room-screen.tsx',
    fetch: async () => (await import('../room/room-screen.tsx')).RoomScreen,
  }),
  createScreen({
    path: routes.register,
    title: 'Create an account · Chat Room',
    source: 'accounts/register-screen.tsx',
    fetch: async () => (await import('../accounts/register-screen.tsx')).RegisterScreen,
  }),
  createScreen({
    path: routes.login,
    title: 'Login · Chat Room',
    source: 'accounts/login-screen.tsx',
    fetch: async () => (await import('../accounts/login-screen.tsx')).LoginScreen,
  }),
  createScreen({
    path: routes.users,
    title: 'Users · Chat Room',
    source: 'accounts/users-screen.tsx',
    fetch: async () => (await import('../accounts/users-screen.tsx')).UsersScreen,
  }),
]

/** Screen for all other paths. The server sends its page, `404.html`, with status 404. */
export const notFoundScreen = createScreen({
  path: '/404',
  title: 'Not found · Chat Room',
  source: 'shell/not-found-screen.tsx',
  fetch: async () => (await import('../shell/not-found-screen.tsx')).NotFoundScreen,
})

export const screenAt = (path: string) => screens.find((screen) => screen.path === path) ?? notFoundScreen
