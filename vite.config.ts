import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { defaultPort } from './contract/constants.ts'
import { callPaths, socketPath } from './contract/routes.ts'
import { supportedBrowsers } from './web/supported-browsers.ts'

const serverOrigin = process.env['SERVER_ORIGIN'] ?? `http://localhost:${defaultPort}`

// In development the page routes share their paths with the calls, as they do on the real server.
const isNavigation = ({ method, headers: { authorization, accept = '' } }: IncomingMessage) =>
  method === 'GET' && authorization === undefined && accept.includes('text/html')

const call = {
  target: serverOrigin,
  bypass: (request: IncomingMessage) => (isNavigation(request) ? '/index.html' : undefined),
}

/** What the browser's Socket.IO brings and this page never uses: every byte of the first load counts. */
const unusedParts: Record<string, string> = {
  // A third transport, with a parser of its own, that the server does not speak.
  webtransport: 'export const WT = undefined',
  // Binary packets over polling: the room has none.
  'base64-arraybuffer': 'export const decode = () => new ArrayBuffer(0)',
  // The manager's own reconnecting, which is off: `link.ts` reconnects.
  backo2: 'export class Backoff { reset() {} setMin() {} setMax() {} setJitter() {} }',
}

const withoutUnusedParts: Plugin = {
  name: 'without-unused-parts',
  load: {
    filter: {
      id: /(engine|socket)\.io-(client|parser)[\\/]build[\\/]esm[\\/].*(webtransport|base64-arraybuffer|backo2)\.js$/,
    },
    handler: (id) => unusedParts[basename(id, '.js')],
  },
}

/** A piece of its own: it is parsed apart from ours, and a browser keeps it when only ours has changed. */
const reactChunk = { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ }

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss(), withoutUnusedParts],
  resolve: {
    alias: {
      // Most of it is for binary attachments, which the room has none of.
      'socket.io-parser': fileURLToPath(new URL('web/connection/link/text-parser.ts', import.meta.url)),
      // Makes a failed `import()` repeatable in every browser.
      '\0vite/preload-helper.js': fileURLToPath(new URL('web/ui/fetch-before-import.ts', import.meta.url)),
    },
  },
  cacheDir: '../node_modules/.vite',
  build: {
    target: Object.entries(supportedBrowsers).map(([name, version]) => name + version),
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['web/index.html', 'web/app/early/record-early-input.ts'],
      output: { codeSplitting: { groups: [reactChunk] } },
    },
  },
  server: {
    proxy: {
      [socketPath]: { target: serverOrigin, ws: true },
      ...Object.fromEntries(callPaths.map((path) => [path, call])),
    },
  },
})
