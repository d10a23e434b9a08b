import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { StartError } from '../../../base/start-error.ts'
import type { BuiltPages } from './built-pages.ts'

/** Content of a file in one encoding. */
export interface Representation {
  readonly body: Buffer
  readonly etag: string
  readonly encoding: 'br' | 'gzip' | undefined
}

export interface StaticFile {
  readonly contentType: string
  /** Representations in order of preference: Brotli, gzip. The last one is not compressed. */
  readonly representations: readonly Representation[]
}

const compressedForms = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
}

/**
 * Loads the current build and the assets of earlier builds into memory, about a megabyte per build. A response from the
 * disk would keep a file descriptor open until the client has read it. Clients that do not read could exhaust the
 * descriptors. Returns the files by name, such as `/index.html`.
 */
export function loadStaticFiles({ root, earlier }: BuiltPages): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const build of earlier.toReversed()) loadFolder(files, join(build, 'assets'), '/assets/')
  loadFolder(files, root, '/')
  loadFolder(files, join(root, 'assets'), '/assets/')
  return files
}

function loadFolder(files: Map<string, StaticFile>, folder: string, prefix: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry
    if (!entry.isFile() || name.startsWith('.') || compressedForms.some(([, ending]) => name.endsWith(ending))) continue
    files.set(prefix + name, loadFile(join(folder, name)))
  }
}

function loadFile(path: string): StaticFile {
  const contentType = contentTypes[extname(path)]
  // Without a content type, browsers would download the file instead of using it.
  if (contentType === undefined)
    throw new StartError(`${path}: unknown file type; remove the file, or add its type to static-files.ts`)
  const representations: Representation[] = []
  for (const [encoding, ending] of compressedForms) {
    if (existsSync(path + ending)) representations.push(representationOf(readFileSync(path + ending), encoding))
  }
  representations.push(representationOf(readFileSync(path), undefined))
  return { contentType, representations }
}

function representationOf(body: Buffer, encoding: Representation['encoding']): Representation {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, encoding }
}
