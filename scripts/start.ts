import { pathToFileURL } from 'node:url'
import { ensureBuild } from './build/ensure-build.ts'

const launcherCheckIntervalMs = 250

const server = await ensureBuild()
process.env['NODE_ENV'] ??= 'production'
stopWithLauncher()
await import(pathToFileURL(server).href)

/** Stops the server when its launcher has been killed and therefore forwards no signal. */
function stopWithLauncher(): void {
  const launcher = process.argv.find((arg) => arg.startsWith('--launcher='))?.split('=')[1]
  if (launcher === undefined) return
  const timer = setInterval(() => {
    if (process.ppid === Number(launcher)) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, launcherCheckIntervalMs).unref()
}
