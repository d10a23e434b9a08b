import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const codePath = /`((?:bench|contract|deploy|docs|scripts|server|tests|web)\/[\w@./-]*)`/g
const link = /\]\((?!https?:|#)([^)#\s]+)/g

/** Returns the targets of paths and links in a document that do not exist. */
export function findDeadPaths(
  document: { path: string; text: string },
  exists: (path: string) => boolean = existsSync,
): string[] {
  const folder = dirname(document.path)
  const paths = [...document.text.matchAll(codePath)].map(([, path = '']) => path)
  const links = [...document.text.matchAll(link)].map(([, target = '']) => join(folder, target))
  return [...new Set([...paths, ...links])].filter((path) => !exists(path))
}
