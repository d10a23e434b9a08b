import type { ModuleContext } from '../observe/module-context.ts'
import type { Storage } from './storage.ts'

/** Opens the storage that the settings name, and loads only its code: database clients are slow to load. */
export async function openStorage(context: ModuleContext): Promise<Storage> {
  const { shared } = context.settings
  if (shared === null) {
    const { openEmbeddedStorage } = await import('./embedded.ts')
    return openEmbeddedStorage(context)
  }
  const { openSharedStorage } = await import('./shared.ts')
  return openSharedStorage(context, shared)
}
