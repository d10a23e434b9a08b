import type { IncomingMessage } from 'node:http'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { defaultPort } from './contract/constants.ts'
import { routes, socketPath } from './contract/routes.ts'

const serverOrigin = process.env['SERVER_ORIGIN'] ?? `http://localhost:${defaultPort}`

// In development the page routes share their paths with the calls, as they do on the real server.
const isNavigation = (request: IncomingMessage) =>
  request.method === 'GET' && request.headers.authorization === undefined

const call = {
  target: serverOrigin,
  bypass: (request: IncomingMessage) => (isNavigation(request) ? '/index.html' : undefined),
}

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss()],
  resolve: {
    // What wouter brings for old versions of React is part of this one.
    alias: { 'use-sync-external-store/shim/index.js': 'react' },
  },
  cacheDir: '../node_modules/.vite',
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      [socketPath]: { target: serverOrigin, ws: true },
      [routes.register]: call,
      [routes.login]: call,
      [routes.users]: call,
    },
  },
})
