const fetched = new Set<string>()

/** Fetches a file completely, so that the browser's HTTP cache holds it. Skips files that the page's HTML loads. */
async function fetchOnce(file: string): Promise<void> {
  const url = `${import.meta.env.BASE_URL}${file}`
  if (fetched.has(url) || document.querySelector(`script[src="${url}"], link[href="${url}"]`) !== null) return
  const response = await fetch(url)
  if (!response.ok) throw new Error(`cannot fetch ${url}: status ${response.status}`)
  await response.arrayBuffer()
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
