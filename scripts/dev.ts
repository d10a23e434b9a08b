import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger, createServer } from 'vite'
import { defaultPort } from '../contract/constants.ts'
import { probes } from '../contract/routes.ts'
import { ensureBuild } from './build/ensure-build.ts'
import { compileCache } from './server-flags.mjs'
import { root, logLine } from './steps.ts'

/** Codes of the errors of proxied connections while the server restarts. The page reconnects on its own. */
const restartErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE'])

// Vite serves the sources with hot reload and forwards calls and sockets to the server, so that there is one origin.
const port = Number(process.env['PORT'] ?? defaultPort)
const serverPort = await findFreePort()
const serverOrigin = `http://127.0.0.1:${serverPort}`
process.env['SERVER_ORIGIN'] = serverOrigin

await ensureBuild()
const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/main.ts'], {
  cwd: root,
  stdio: 'inherit',
  // At level info, the server would log its own address, at which it serves the built pages instead of the sources.
  env: { LOG_LEVEL: 'warn', ...compileCache(root), ...process.env, PORT: String(serverPort), HOST: '127.0.0.1' },
})
const serverExit = once(server, 'exit')

let isEnding = false
endOnSignals()

await untilReady()
const vite = await createServer({
  configFile: join(root, 'vite.config.ts'),
  customLogger: quietLogger(),
  server: { port, strictPort: true, host: true },
})
// Replace Vite's own listener, which exits without waiting for the server.
process.removeAllListeners('SIGTERM')
endOnSignals()
try {
  await vite.listen()
} catch (error) {
  logLine(error instanceof Error ? error.message : String(error))
  await end(1)
}
logLine(`dev server listening at http://localhost:${port}`)

function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end())
}

/** Stops the server, which holds the lock of the data folder, and exits. */
async function end(exitCode = 0): Promise<void> {
  if (isEnding) return
  isEnding = true
  server.kill('SIGINT')
  await serverExit
  process.exit(exitCode)
}

async function findFreePort(): Promise<number> {
  const probe = createTcpServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port: freePort } = probe.address() as AddressInfo
  probe.close()
  return freePort
}

/**
 * Waits until the server is ready, without a deadline: if the server fails to start, Node starts it again after the
 * next change of its sources.
 */
async function untilReady(): Promise<void> {
  while ((await fetch(serverOrigin + probes.ready).catch(() => null))?.ok !== true) await delay(100)
}

function quietLogger() {
  const logger = createLogger()
  const logError = logger.error.bind(logger)
  logger.error = (message, options) => {
    const { code } = (options?.error ?? {}) as NodeJS.ErrnoException
    if (!restartErrors.has(code ?? '')) logError(message, options)
  }
  return logger
}
