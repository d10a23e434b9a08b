import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build as viteBuild, type Manifest } from 'vite'
import { routes } from '../contract/routes.ts'
import type { Page } from '../web/prerender.tsx'

const projectRoot = fileURLToPath(new URL('..', import.meta.url))
const configFile = join(projectRoot, 'vite.config.ts')
const webRoot = join(projectRoot, 'dist', 'web')
const rendererRoot = join(projectRoot, '.cache', 'prerender')

const compressible = new Set(['.html', '.js', '.css', '.svg', '.webmanifest'])
const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

async function renderPages(): Promise<Page[]> {
  await viteBuild({
    configFile,
    logLevel: 'warn',
    build: {
      ssr: 'prerender.tsx',
      outDir: rendererRoot,
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'prerender.mjs', codeSplitting: false } },
    },
  })
  // A query of its own: a second build in one process must not get the first one's module.
  const address = `${pathToFileURL(join(rendererRoot, 'prerender.mjs')).href}?${Date.now()}`
  const renderer = (await import(address)) as { renderPages: () => Promise<Page[]> }
  const pages = await renderer.renderPages()
  // React leaves a screen that failed to draw to the browser, without a word.
  const failed = pages.find(({ html }) => html.includes('<!--$!-->'))
  if (failed !== undefined) throw new Error(`The page ${failed.path} cannot be drawn at build time.`)
  return pages
}

/** What a screen needs and the shell does not name yet. */
function preloads(manifest: Manifest, source: string, shell: string): string {
  const files = new Set<string>()
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (chunk === undefined || chunk.isEntry === true || files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(visit)
  }
  visit(source)
  const missing = [...files].filter((file) => !shell.includes(file))
  return missing.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('\n    ')
}

/** Every screen's page, drawn beforehand: its frame stands on the screen before the script has arrived. */
async function writePages(pages: Page[]) {
  const shell = await readFile(join(webRoot, 'index.html'), 'utf8')
  const manifestFile = join(webRoot, 'manifest.json')
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest
  await rm(manifestFile)
  for (const { path, title, source, html } of pages) {
    const page = shell
      .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
      .replace('</head>', () => `  ${preloads(manifest, source, shell)}\n  </head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${html}</div>`)
    await writeFile(join(webRoot, path === routes.room ? 'index.html' : `${path.slice(1)}.html`), page)
  }
}

async function compress() {
  for (const entry of await readdir(webRoot, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue
    const file = join(entry.parentPath, entry.name)
    const content = await readFile(file)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    await writeFile(`${file}.br`, await toBrotli(content, { params }))
    await writeFile(`${file}.gz`, await toGzip(content, { level: 9 }))
  }
}

/** Builds the pages into `dist/web`: hashed assets, one drawn page per route, and compressed copies of each. */
export async function build() {
  await viteBuild({ configFile, logLevel: 'warn' })
  await writePages(await renderPages())
  await compress()
}

if (import.meta.main) await build()
