import { ensureBuild } from './ensure-build.ts'

const lookForLauncherEveryMs = 250

await ensureBuild()
process.env['NODE_ENV'] ??= 'production'
endWithLauncher()
await import('../server/main.ts')

/** A launcher that was killed passes nothing on: without this the server would stay behind with its port. */
function endWithLauncher(): void {
  const launcher = process.argv.find((arg) => arg.startsWith('--launcher='))?.split('=')[1]
  if (launcher === undefined) return
  const watch = setInterval(() => {
    if (process.ppid === Number(launcher)) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, lookForLauncherEveryMs).unref()
}
