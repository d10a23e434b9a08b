import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from './free-port.ts'
import { createServiceProcess } from './service-process.ts'

const sample = fileURLToPath(new URL('../../deploy/nginx-cluster.conf', import.meta.url))
const serverLines = /(?:^ *server 127\.0\.0\.1:\d+ .*;\n)+/gm
const temporaryKinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** Starts nginx with the sample configuration for a cluster and the given ports. The caller must call `close`. */
export async function startNginx(nodePorts: readonly number[], wantedPort?: number) {
  const port = wantedPort ?? (await findFreePort())
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, wrapSiteConfig(createSiteConfig(port, nodePorts), folder))
  const service = createServiceProcess({
    command: ['nginx', '-e', 'stderr', '-c', file],
    ready: /start worker process /,
    parentDeathSignal: 'TERM',
  })
  await service.start()

  return {
    port,
    kill: () => service.kill(),
    start: () => service.start(),
    async restart(): Promise<void> {
      await service.stop()
      await service.start()
    },
    async close(): Promise<void> {
      await service.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createSiteConfig(port: number, nodePorts: readonly number[]): string {
  const text = readFileSync(sample, 'utf8')
  const adapted = text.replace('listen 80;', `listen ${port};`).replaceAll(serverLines, (lines) => {
    const parameters = /:\d+ (.*;\n)/.exec(lines)?.[1] ?? ''
    return nodePorts.map((nodePort) => `    server 127.0.0.1:${nodePort} ${parameters}`).join('')
  })
  if (adapted === text || /127\.0\.0\.1:300\d\b/.test(adapted))
    throw new Error('unexpected lines in the nginx sample configuration')
  return adapted
}

function wrapSiteConfig(site: string, folder: string): string {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const paths = temporaryKinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  return `${user} daemon off; pid ${folder}/pid; error_log stderr notice; worker_processes auto;
    events { worker_connections 8192; } http { access_log off; ${paths}
    ${site} }`
}
