import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { defaultPort } from './contract/constants.ts'
import { callPaths, socketPath } from './contract/routes.ts'
import { supportedBrowsers } from './web/supported-browsers.ts'

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
// Use literal `new URL` expressions: the dead-code check follows them to the files.
const parserFile = fileURLToPath(new URL('web/connection/link/text-parser.ts', import.meta.url))
const packetsFile = fileURLToPath(new URL('web/connection/link/text-packets.ts', import.meta.url))
const importHelperFile = fileURLToPath(new URL('web/ui/fetch-before-import.ts', import.meta.url))

const serverOrigin = process.env['SERVER_ORIGIN'] ?? `http://localhost:${defaultPort}`

// Pages and API requests share paths. There, the development server serves a page only to a navigation of the browser.
const isNavigation = ({ method, headers: { authorization, accept = '' } }: IncomingMessage) =>
  method === 'GET' && authorization === undefined && accept.includes('text/html')

const apiProxy = {
  target: serverOrigin,
  bypass: (request: IncomingMessage) => (isNavigation(request) ? '/index.html' : undefined),
}

/** Replacements of Socket.IO client modules that the page does not use, to reduce the size of the first load. */
const unusedModules: Record<string, string> = {
  // The server does not support WebTransport.
  webtransport: 'export const WT = undefined',
  // Socket.IO uses this module for its own reconnects, which are off; `link.ts` reconnects.
  backo2: 'export class Backoff { reset() {} setMin() {} setMax() {} setJitter() {} }',
  // This module parses the address of a server on another host. The page connects only to its own host.
  parseuri: 'export const parse = () => ({})',
  // This module detects browsers without CORS, which are not supported.
  'has-cors': 'export const hasCORS = true',
  // This module looks for `self` and `Promise`, which every supported browser has.
  globals: `export const nextTick = (call) => Promise.resolve().then(call), globalThisShim = globalThis
    export const defaultBinaryType = 'arraybuffer', createCookieJar = () => undefined`,
  // This module also supports binary messages, replaced timer functions, and options of WebSocket in Node.
  util: `export const byteLength = (text) => new TextEncoder().encode(text).length, pick = () => ({})
    export const installTimerFunctions = (object) => {
      object.setTimeoutFn = setTimeout.bind(globalThis)
      object.clearTimeoutFn = clearTimeout.bind(globalThis)
    }
    export const randomString = () => Math.random().toString(36).slice(2, 10)`,
  // This module also decodes query strings. The page passes no query string.
  parseqs: 'export const encode = (query) => `${new URLSearchParams(query)}`, decode = () => ({})',
}

const replaceUnusedModules: Plugin = {
  name: 'replace-unused-modules',
  load: {
    filter: {
      id: /(engine|socket)\.io-client[\\/]build[\\/]esm[\\/](?:.*[\\/])?(webtransport|backo2|parseuri|has-cors|parseqs|globals|util)\.js$/,
    },
    handler: (id) => unusedModules[basename(id, '.js')],
  },
}

/** Separate chunk for React: browsers keep it in the cache when only the code of the app changes. */
const reactChunk = { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ }

/** One chunk for small modules that several screens share. A chunk for each of them would cost more bytes than it saves. */
const sharedChunk = {
  name: 'shared',
  test: /(web[\\/](shell[\\/](location|scroll-position)|ui[\\/](field|spinner)|room[\\/]entry[\\/]one-line)|contract[\\/](routes|constants|anonymous-label|blank-characters))\.tsx?$/,
}

export default defineConfig({
  root: pathOf('web'),
  plugins: [react(), tailwindcss(), replaceUnusedModules],
  resolve: {
    alias: {
      // These parsers are smaller, because they do not support binary packets.
      'socket.io-parser': parserFile,
      'engine.io-parser': packetsFile,
      // This helper makes a failed `import()` repeatable in every browser.
      '\0vite/preload-helper.js': importHelperFile,
    },
  },
  // The development server bundles packages without the plugins above.
  optimizeDeps: { rolldownOptions: { plugins: [replaceUnusedModules] } },
  cacheDir: '../node_modules/.vite',
  build: {
    target: Object.entries(supportedBrowsers).map(([name, version]) => name + version),
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Use absolute paths: the build resolves relative ones from the working directory, the development server from
      // `root`.
      input: ['web/index.html', 'web/app/early/record-early-input.ts'].map(pathOf),
      // Drop the code of the package's entry, which caches connections: `link.ts` uses `Manager` directly.
      treeshake: {
        moduleSideEffects: [{ test: /socket\.io-client[\\/]build[\\/]esm[\\/]index\.js$/, sideEffects: false }],
      },
      output: { codeSplitting: { groups: [reactChunk, sharedChunk] } },
      // A busy machine would cause warnings about slow plugins.
      checks: { bundlerTimings: false },
    },
  },
  server: {
    proxy: {
      [socketPath]: { target: serverOrigin, ws: true },
      // Use exact paths: as a prefix, `/account` would also match the source folder `/accounts/`.
      ...Object.fromEntries(callPaths.map((path) => [`^${path}(\\?|$)`, apiProxy])),
    },
  },
})
