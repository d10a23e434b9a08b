import { type ComponentType, createElement, lazy, useState } from 'react'
import { routes } from '../../contract/routes.ts'
import { reloadOnce } from './reload-once.ts'

export interface Screen {
  path: string
  title: string
  /** Where its code lies; the build names it in the page's head, so that it is fetched with the first script. */
  source: string
  component: ComponentType
  load: () => Promise<unknown>
  /** For a screen that somebody may be about to open: if it cannot be had, that is told when they do. */
  preload: () => void
}

interface ScreenDescription {
  path: string
  title: string
  source: string
  fetch: () => Promise<ComponentType>
}

/** Each screen is a piece of code of its own. Once loaded it is drawn at once, without a detour over a fallback. */
function createScreen({ fetch, ...description }: ScreenDescription): Screen {
  let loaded: ComponentType | null = null
  const load = async () => {
    loaded ??= await fetch()
    return loaded
  }
  const Lazy = lazy(async () => ({ default: await load().catch(reloadOnce) }))
  function ScreenView() {
    // Chosen once: were it to change while the screen is shown, what was typed there would be lost.
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

/** What stands at every other address. The server answers those with its page, `404.html`. */
export const notFoundScreen = createScreen({
  path: '/404',
  title: 'Not found · Chat Room',
  source: 'shell/not-found-screen.tsx',
  fetch: async () => (await import('../shell/not-found-screen.tsx')).NotFoundScreen,
})

export const screenAt = (path: string) => screens.find((screen) => screen.path === path) ?? notFoundScreen
