import { probes } from '../../contract/routes.ts'
import { browserPage, reloadPage } from '../connection/link/browser-page.ts'

const storageKey = 'reloadedAt'
/** A page that fails again right after a reload would fail for ever: something else is wrong. */
const notAgainWithinMs = 60_000
const askEveryMs = 1_000

/**
 * A piece of this page's code cannot be fetched: most likely the server has been upgraded, and only a new page knows where
 * its pieces are. Loads that page, once, when the server answers; offline there would be nothing to load. Never resolves.
 */
export async function reloadOnce(error: unknown): Promise<never> {
  if (Date.now() - Number(browserPage.load(storageKey)) < notAgainWithinMs) throw error
  console.error(error)
  while (!(await serverAnswers())) await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  browserPage.store(storageKey, String(Date.now()))
  // Where nothing can be kept, nothing would stop a page that fails for ever.
  if (browserPage.load(storageKey) === null) throw error
  reloadPage()
  return new Promise(() => undefined)
}

async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch(probes.live, { cache: 'no-store' })).ok
  } catch {
    return false
  }
}
