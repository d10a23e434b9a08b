import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import type { Backing } from './storage.ts'

/** Only the maker that is wanted is loaded: the clients of the other one's servers take their time. */
export async function openBacking(settings: Settings, log: Logger): Promise<Backing> {
  if (settings.shared === null) {
    const { openEmbeddedBacking } = await import('./embedded.ts')
    return openEmbeddedBacking(settings, log)
  }
  const { openSharedBacking } = await import('./shared.ts')
  return openSharedBacking(settings, settings.shared, log)
}
