import { browserPage, reloadPage } from '../connection/link/browser-page.ts'

const storageKey = 'reloadedAt'
/** Minimum time between two reloads. Without this limit, a page that always fails would reload in a loop. */
const minReloadIntervalMs = 60_000
const pollIntervalMs = 1_000

/**
 * Reloads the page once, when the server is reachable. Call this function when a code chunk cannot be fetched: most
 * likely the server was upgraded, and only a new page has the new chunk names. Never resolves. Throws `error` if the
 * page was reloaded recently, if session storage does not work, or if `isNeeded` returns false when the server is
 * reachable.
 */
export async function reloadOnce(error: unknown, isNeeded = () => true): Promise<never> {
  if (Date.now() - Number(browserPage.load(storageKey)) < minReloadIntervalMs) throw error
  console.error(error)
  while (!(await isServerReachable())) await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  if (!isNeeded()) throw error
  browserPage.store(storageKey, String(Date.now()))
  // Without storage, the time of the reload is lost and the page could reload in a loop.
  if (browserPage.load(storageKey) === null) throw error
  reloadPage()
  return new Promise(() => undefined)
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(import.meta.env.BASE_URL, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}
