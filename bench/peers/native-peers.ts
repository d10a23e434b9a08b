import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nchanPath } from '../driver/dialects/dialects.ts'
import { type Peer, unavailable } from './peer.ts'

const benchFolder = fileURLToPath(new URL('..', import.meta.url))

function binaryFromNpm(pattern: string, packageName: string): string {
  const [found] = globSync(pattern, { cwd: join(benchFolder, 'node_modules') })
  if (found === undefined) throw unavailable(`package ${packageName} has no binary for this system`)
  return join(benchFolder, 'node_modules', found)
}

function bunPeer(mode: 'default' | 'best'): Peer {
  return {
    id: mode === 'best' ? 'bun-best' : 'bun',
    label: mode === 'best' ? 'Bun publish, tuned' : 'Bun publish',
    configuration:
      mode === 'best'
        ? 'server.publish, no deflate, backpressure limit 64 MiB'
        : 'server.publish, no deflate, otherwise defaults',
    batching: 'uWebSockets: all messages published in one event loop turn',
    dialect: 'raw',
    auth: null,
    debianPackages: [],
    launch: (port) => ({
      command: [binaryFromNpm('@oven/bun-*/bin/bun', 'bun'), 'run', join(benchFolder, 'peers/servers/bun-publish.ts')],
      env: { NODE_ENV: 'production', PORT: String(port), MODE: mode },
      canCollectGarbage: true,
    }),
  }
}

const denoPeer: Peer = {
  id: 'deno',
  label: 'Deno',
  configuration: 'Deno.serve and upgradeWebSocket, loop over all sockets; Deno has no publish',
  batching: 'none: one send per message and socket',
  dialect: 'raw',
  auth: null,
  debianPackages: [],
  launch: (port) => ({
    command: [
      binaryFromNpm('@deno/*/deno', 'deno'),
      'run',
      '--no-lock',
      '--no-config',
      '--no-check',
      '--v8-flags=--expose-gc',
      '--allow-net',
      '--allow-env',
      join(benchFolder, 'peers/servers/deno-loop.ts'),
    ],
    env: { PORT: String(port), DENO_NO_UPDATE_CHECK: '1' },
    canCollectGarbage: true,
  }),
}

const natsPeer: Peer = {
  id: 'nats',
  label: 'NATS',
  configuration: "Debian's nats-server, WebSocket, no compression",
  batching: 'all messages queued for a connection when its writer runs',
  dialect: 'nats',
  auth: null,
  debianPackages: ['nats-server'],
  launch(port, folder) {
    mkdirSync(folder, { recursive: true })
    const config = join(folder, 'nats.conf')
    writeFileSync(
      config,
      `listen: "127.0.0.1:-1"\nmax_connections: 20000\nwebsocket { listen: "127.0.0.1:${port}", no_tls: true }\n`,
    )
    return {
      command: ['/usr/sbin/nats-server', '-c', config, '-l', join(folder, 'nats.log')],
      env: {},
      canCollectGarbage: false,
    }
  },
}

const nchanModule = '/usr/lib/nginx/modules/ngx_nchan_module.so'

const nchanPeer: Peer = {
  id: 'nchan',
  label: 'nginx nchan',
  configuration: "Debian's nginx with nchan, one worker, WebSocket, a buffer of 10,000 messages",
  batching: 'none: one write per message and socket',
  dialect: 'nchan',
  auth: null,
  debianPackages: ['nginx', 'libnginx-mod-nchan'],
  launch(port, folder) {
    if (!existsSync(nchanModule)) throw unavailable("Debian's module libnginx-mod-nchan is not installed")
    mkdirSync(folder, { recursive: true })
    const config = join(folder, 'nginx.conf')
    writeFileSync(
      config,
      `load_module ${nchanModule};
daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
user ${process.getuid?.() === 0 ? 'root' : (process.env['USER'] ?? 'nobody')};
events { worker_connections 15000; }
http {
  access_log off; tcp_nodelay on; nchan_shared_memory_size 256m;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location ${nchanPath} {
      nchan_pubsub websocket; nchan_channel_id room; nchan_message_buffer_length 10000; nchan_message_timeout 60s;
      nchan_subscriber_first_message newest; nchan_websocket_ping_interval 0;
    }
  }
}
`,
    )
    return { command: ['/usr/sbin/nginx', '-c', config, '-p', folder], env: {}, canCollectGarbage: false }
  },
}

export const nativePeers = [bunPeer('default'), bunPeer('best'), denoPeer, natsPeer, nchanPeer]
