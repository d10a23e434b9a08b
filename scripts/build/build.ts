import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build as viteBuild, type Manifest, type ManifestChunk, resolveConfig } from 'vite'
import { pageFile } from '../../contract/routes.ts'
import { builtFolder } from '../../server/base/built-folder.ts'
import { completeBuilds, keptEarlierBuilds } from '../../server/transport/http/pages/built-pages.ts'
import type { PrerenderedPage } from '../../web/app/prerender.tsx'
import { withWorkFolder } from './work-folder.ts'

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))
const builds = join(builtFolder, 'builds')

const compressible = new Set(['.html', '.js', '.css', '.svg', '.webmanifest'])
const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

async function renderPages(rendererRoot: string): Promise<PrerenderedPage[]> {
  await viteBuild({
    configFile,
    logLevel: 'warn',
    build: {
      ssr: 'app/prerender.tsx',
      outDir: rendererRoot,
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'prerender.mjs', codeSplitting: false } },
    },
  })
  const renderer = (await import(pathToFileURL(join(rendererRoot, 'prerender.mjs')).href)) as {
    renderPages: () => Promise<PrerenderedPage[]>
  }
  const pages = await renderer.renderPages()
  // React does not report a screen that failed to render. It leaves this marker, so that the browser renders the
  // screen.
  const failed = pages.find(({ html }) => html.includes('<!--$!-->'))
  if (failed !== undefined) throw new Error(`The page ${failed.path} cannot be rendered at build time.`)
  return pages
}

function chunkOf(manifest: Manifest, source: string): ManifestChunk {
  const chunk = manifest[source]
  if (chunk === undefined) throw new Error(`The build has no chunk for ${source}.`)
  return chunk
}

/** Returns preload links for the chunks of a screen that the shell does not reference. */
function preloads(manifest: Manifest, source: string, shell: string, base: string): string {
  const files = new Set<string>()
  const visit = (key: string) => {
    const chunk = chunkOf(manifest, key)
    if (chunk.isEntry === true || files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(visit)
  }
  visit(source)
  const missing = [...files].filter((file) => !shell.includes(file))
  return missing.map((file) => `<link rel="modulepreload" crossorigin href="${base}${file}">`).join('\n    ')
}

/** Writes the prerendered page of every screen, so that the browser can paint it before the script loads. */
async function writePages(webRoot: string, pages: PrerenderedPage[]) {
  const shell = await readFile(join(webRoot, 'index.html'), 'utf8')
  const manifestFile = join(webRoot, 'manifest.json')
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest
  await rm(manifestFile)
  const { base } = await resolveConfig({ configFile }, 'build')
  // The script is blocking: it records input from the moment the page is visible.
  const earlyScript = `<script src="${base}${chunkOf(manifest, 'app/early/record-early-input.ts').file}"></script>`
  for (const { path, title, source, html } of pages) {
    const page = shell
      .replace(/<title>.*<\/title>/, () => `${earlyScript}\n    <title>${title}</title>`)
      .replace('</head>', () => `  ${preloads(manifest, source, shell, base)}\n  </head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${html}</div>`)
    await writeFile(join(webRoot, pageFile(path)), page)
  }
}

async function compress(webRoot: string) {
  for (const entry of await readdir(webRoot, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue
    const file = join(entry.parentPath, entry.name)
    const content = await readFile(file)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    await writeFile(`${file}.br`, await toBrotli(content, { params }))
    await writeFile(`${file}.gz`, await toGzip(content, { level: 9 }))
  }
}

/**
 * Builds the pages: hashed assets, one prerendered page per route, and compressed copies. The build runs in a work
 * folder. One rename publishes the complete build, and another rename makes it the current build. A running server
 * keeps the build of its start, a killed build leaves the current build usable, and concurrent builds do not interfere.
 */
export async function build(sourceHash: string): Promise<void> {
  const name = `${Date.now()}-${sourceHash}`
  await withWorkFolder(builds, async (work) => {
    const webRoot = join(work, 'web')
    await viteBuild({ configFile, logLevel: 'warn', build: { outDir: webRoot, emptyOutDir: true } })
    await writePages(webRoot, await renderPages(join(work, 'prerender')))
    await compress(webRoot)
    await rename(webRoot, join(builds, name))
    const pointer = join(work, 'current')
    await writeFile(pointer, name)
    await rename(pointer, join(builtFolder, 'current'))
  })
  await removeOldBuilds(name)
}

/**
 * Removes all earlier builds except the newest `keptEarlierBuilds`. Builds of the same sources count once, so that
 * repeated builds do not evict others.
 */
async function removeOldBuilds(current: string): Promise<void> {
  const hashOf = (name: string) => name.slice(name.indexOf('-') + 1)
  const kept = new Set([hashOf(current)])
  for (const name of completeBuilds()) {
    if (name >= current) continue
    const isKept = !kept.has(hashOf(name)) && kept.size <= keptEarlierBuilds
    if (isKept) kept.add(hashOf(name))
    else await rm(join(builds, name), { recursive: true, force: true })
  }
}
