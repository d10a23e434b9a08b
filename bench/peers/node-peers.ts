import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { events } from '../../contract/events.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import { type Launch, type Peer, unavailable } from './peer.ts'

const benchFolder = fileURLToPath(new URL('..', import.meta.url))
const collectHook = join(benchFolder, 'peers/collect-on-signal.ts')

const eventNames = {
  SEND_EVENT: events.sendMessage,
  RECEIVE_EVENT: events.receiveMessage,
  ONLINE_EVENT: events.onlineUsers,
}

/** How any Node server under test is started; `extra` are further flags of Node. */
export function nodeLaunch(file: string, env: Record<string, string>, extra: readonly string[] = []): Launch {
  return {
    command: [process.execPath, '--expose-gc', '--import', collectHook, ...extra, file],
    env: { NODE_ENV: 'production', ...env },
    collects: true,
  }
}

const serverFile = (name: string) => join(benchFolder, 'peers/servers', name)

function socketioPeer(mode: 'default' | 'best'): Peer {
  return {
    id: mode === 'default' ? 'socketio' : 'socketio-best',
    label: mode === 'default' ? 'Socket.IO' : 'Socket.IO, tuned',
    setting:
      mode === 'default'
        ? 'socket.io 4.8 as installed, clients connect by WebSocket'
        : 'WebSocket only, no deflate, request object dropped, the same Node flags as ours; not volatile, which would drop messages',
    batching: 'none: one write per message and socket',
    dialect: 'socketio',
    auth: null,
    debianPackages: [],
    launch: (port) => {
      const env = { ...eventNames, PORT: String(port), MODE: mode }
      return nodeLaunch(serverFile('socketio-stock.ts'), env, mode === 'best' ? serverFlags : [])
    },
  }
}

/** The binary for Node 24 asks for a newer C library than some systems have; the one for an older Node may not. */
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
  throw unavailable('no binary of the package uwebsockets loads on this system')
}

const uwsPeer: Peer = {
  id: 'uws',
  label: 'Socket.IO on uWebSockets',
  setting: 'npm uwebsockets through attachApp, WebSocket only; on the first Node found that its binary loads in',
  batching: 'uWebSockets: what is published in one turn of the event loop',
  dialect: 'socketio',
  auth: null,
  debianPackages: [],
  detail: () => `Node ${spawnSync(nodeForUws(), ['--version'], { encoding: 'utf8' }).stdout.trim()}`,
  launch: (port) => ({
    command: [nodeForUws(), '--expose-gc', serverFile('uwebsockets.mjs')],
    env: { NODE_ENV: 'production', ...eventNames, PORT: String(port) },
    collects: true,
  }),
}

const wsPeer: Peer = {
  id: 'ws',
  label: 'ws, pre-framed',
  setting: 'ws 8, no deflate; each message framed once and written to each TCP socket',
  batching: 'none: one write per message and socket',
  dialect: 'raw',
  auth: null,
  debianPackages: [],
  launch: (port) => nodeLaunch(serverFile('ws-preframed.ts'), { PORT: String(port) }),
}

const nullPeer: Peer = {
  id: 'null',
  label: 'Null server',
  setting: 'Node, raw TCP: one frame prepared at the start, written to each socket, nothing parsed',
  batching: 'none: one write per message and socket',
  dialect: 'unnumbered',
  auth: null,
  debianPackages: [],
  launch: (port) => nodeLaunch(serverFile('null-server.ts'), { PORT: String(port) }),
}

export const nodePeers = [socketioPeer('default'), socketioPeer('best'), wsPeer, uwsPeer, nullPeer]

/** Stock Socket.IO that sends everybody the whole list at every join. */
export function naivePresenceLaunch(port: number): Launch {
  const env = { ...eventNames, PORT: String(port), MODE: 'default', NAIVE_PRESENCE: '1' }
  return nodeLaunch(serverFile('socketio-stock.ts'), env)
}
