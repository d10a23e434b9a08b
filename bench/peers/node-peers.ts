import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { events } from '../../contract/events.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import { type Launch, type Peer, unavailable } from './peer.ts'

const benchFolder = fileURLToPath(new URL('..', import.meta.url))
const gcHook = join(benchFolder, 'peers/gc-on-signal.ts')

const eventNames = {
  SEND_EVENT: events.sendMessage,
  RECEIVE_EVENT: events.receiveMessage,
  ONLINE_EVENT: events.onlineUsers,
}

/** Returns the launch command of a Node server under test. */
export function launchNode(file: string, env: Record<string, string>, extraFlags: readonly string[] = []): Launch {
  return {
    command: [process.execPath, '--expose-gc', '--import', gcHook, ...extraFlags, file],
    env: { NODE_ENV: 'production', ...env },
    canCollectGarbage: true,
  }
}

const serverFile = (name: string) => join(benchFolder, 'peers/servers', name)

function socketioPeer(mode: 'default' | 'best'): Peer {
  return {
    id: mode === 'default' ? 'socketio' : 'socketio-best',
    label: mode === 'default' ? 'Socket.IO' : 'Socket.IO, tuned',
    configuration:
      mode === 'default'
        ? 'socket.io 4.8 with defaults, clients connect by WebSocket'
        : 'WebSocket only, no deflate, request object released, Node flags of Chat Room; not volatile, which can drop messages',
    batching: 'none: one write per message and socket',
    dialect: 'socketio',
    auth: null,
    debianPackages: [],
    launch: (port) => {
      const env = { ...eventNames, PORT: String(port), MODE: mode }
      return launchNode(serverFile('socketio-stock.ts'), env, mode === 'best' ? serverFlags : [])
    },
  }
}

/**
 * Returns the first Node that loads the native binary of uWebSockets. The binary for Node 24 needs a newer C library
 * than some systems have; the binary for an older Node can still load.
 */
function nodeForUws(): string {
  const candidates = [
    process.execPath,
    ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node')),
    '/usr/bin/node',
  ].filter((path) => existsSync(path))
  for (const candidate of new Set(candidates.map((path) => realpathSync(path)))) {
    const probe = spawnSync(candidate, ['-e', 'require("uwebsockets")'], { cwd: benchFolder, stdio: 'ignore' })
    if (probe.status === 0) return candidate
  }
  throw unavailable('package uwebsockets has no binary that loads on this system')
}

const uwsPeer: Peer = {
  id: 'uws',
  label: 'Socket.IO on uWebSockets',
  configuration: 'npm uwebsockets through attachApp, WebSocket only, on the first installed Node that loads its binary',
  batching: 'uWebSockets: all messages published in one event loop turn',
  dialect: 'socketio',
  auth: null,
  debianPackages: [],
  detail: () => `Node ${spawnSync(nodeForUws(), ['--version'], { encoding: 'utf8' }).stdout.trim()}`,
  launch: (port) => ({
    command: [nodeForUws(), '--expose-gc', serverFile('uwebsockets.mjs')],
    env: { NODE_ENV: 'production', ...eventNames, PORT: String(port) },
    canCollectGarbage: true,
  }),
}

const wsPeer: Peer = {
  id: 'ws',
  label: 'ws, pre-framed',
  configuration: 'ws 8, no deflate; each message framed once and written to each TCP socket',
  batching: 'none: one write per message and socket',
  dialect: 'raw',
  auth: null,
  debianPackages: [],
  launch: (port) => launchNode(serverFile('ws-preframed.ts'), { PORT: String(port) }),
}

const nullPeer: Peer = {
  id: 'null',
  label: 'Null server',
  configuration: 'Node, raw TCP: one frame, prepared at the start, written to each socket; no parsing',
  batching: 'none: one write per message and socket',
  dialect: 'counted',
  auth: null,
  debianPackages: [],
  launch: (port) => launchNode(serverFile('null-server.ts'), { PORT: String(port) }),
}

export const nodePeers = [socketioPeer('default'), socketioPeer('best'), wsPeer, uwsPeer, nullPeer]

/** Returns the launch command of stock Socket.IO that broadcasts the full list of online users at every change. */
export function launchNaivePresence(port: number): Launch {
  const env = { ...eventNames, PORT: String(port), MODE: 'default', NAIVE_PRESENCE: '1' }
  return launchNode(serverFile('socketio-stock.ts'), env)
}
