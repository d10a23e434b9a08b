const fetched = new Set<string>()

/**
 * Error of a file that the network or the server did not deliver. The file may still exist, so a later fetch can
 * succeed.
 */
export class UnreachableFileError extends Error {}

/** Fetches a file completely. Returns the status. */
async function fetchStatus(url: string): Promise<number> {
  try {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    throw new UnreachableFileError(`cannot fetch ${url}`, { cause: error })
  }
}

/** Fetches a file, so that the browser's HTTP cache contains it. Skips files that the page's HTML loads. */
async function fetchOnce(file: string): Promise<void> {
  const url = `${import.meta.env.BASE_URL}${file}`
  if (fetched.has(url) || document.querySelector(`script[src="${url}"], link[href="${url}"]`) !== null) return
  const status = await fetchStatus(url)
  if (status === 404) throw new Error(`${url} does not exist`)
  if (status !== 200) throw new UnreachableFileError(`cannot fetch ${url}: status ${status}`)
  fetched.add(url)
}

/**
 * Replaces Vite's preload helper, which the build calls for every `import()`. `files` are the imported chunk and all
 * chunks that it imports; stylesheets are not among them, because the page has only one. Firefox and WebKit cache the
 * failure of loading a module, also when a `<link rel="modulepreload">` caused it. Another `import()` of that module, or
 * of a module that depends on it, then fails without a request. Therefore this function fetches the files first, and
 * calls `import()` only when all of them have arrived. Another call repeats a failed fetch.
 */
export async function __vitePreload<T>(importModule: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  await Promise.all(files.map(fetchOnce))
  return importModule()
}
