import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder } from '../../../base/built-folder.ts'
import { StartError } from '../../../base/start-error.ts'

/** Number of earlier builds that are kept: pages that were opened before an upgrade still load their assets. */
export const keptEarlierBuilds = 3

const buildName = /^\d{13}-[0-9a-f]{32}$/

export interface BuiltPages {
  /** Folder of the pages, their assets and public files. */
  root: string
  /**
   * Folders of earlier builds, newest first. Only their `assets/` are served; assets with the same name in two builds
   * are identical.
   */
  earlier: string[]
}

/** Returns the pages that this server serves until it stops; a later build goes to another folder. */
export function findBuiltPages(folder = builtFolder): BuiltPages {
  const current = currentBuild(folder)
  if (current === null)
    throw new StartError(`The pages are not built (no current build in ${folder}); run npm run build`)
  const earlier = completeBuilds(folder).filter((name) => name !== current)
  return {
    root: join(folder, 'builds', current),
    earlier: earlier.slice(0, keptEarlierBuilds).map((name) => join(folder, 'builds', name)),
  }
}

/** Returns the name of the build to serve, which ends with a hash of the build's inputs; `null` if there is none. */
export function currentBuild(folder = builtFolder): string | null {
  try {
    const name = readFileSync(join(folder, 'current'), 'utf8')
    return buildName.test(name) && completeBuilds(folder).includes(name) ? name : null
  } catch {
    return null
  }
}

/**
 * Returns the names of complete builds, newest first. The build renames a folder to such a name when the folder is
 * complete.
 */
export function completeBuilds(folder = builtFolder): string[] {
  try {
    return readdirSync(join(folder, 'builds'))
      .filter((name) => buildName.test(name))
      .toSorted()
      .toReversed()
  } catch {
    return []
  }
}
