import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = 'unfinished-'

/** Age from which a work folder belongs to a killed build. It is longer than any build takes. */
const abandonedAfterMs = 3_600_000

/** Runs `work` with a new folder inside `parent`, then removes the folder and the abandoned work folders of killed builds. */
export async function withWorkFolder(parent: string, work: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, prefix))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(join(parent, name), { recursive: true, force: true })
  }
}
