import { spawn } from 'node:child_process'
import { defaultPort } from '../contract/constants.ts'
import { ensureBuild } from './ensure-build.ts'
import { root, say } from './steps.ts'

// Vite stands in front with the sources and hot reload; calls and sockets go on to the server, so the origin is one.
const port = Number(process.env['PORT'] ?? defaultPort)
const serverPort = port + 1
process.env['SERVER_ORIGIN'] = `http://127.0.0.1:${serverPort}`

await ensureBuild()
const server = spawn(process.execPath, ['--watch', 'server/main.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PORT: String(serverPort), HOST: '127.0.0.1' },
})
const { createServer } = await import('vite')
const vite = await createServer({ server: { port, strictPort: true, host: true } })
await vite.listen()
say(`developing at http://localhost:${port}`)

let ending = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (ending) return
    ending = true
    server.kill('SIGINT')
    void vite.close().finally(() => process.exit(0))
  })
}
