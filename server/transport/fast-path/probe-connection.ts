import { Socket as EngineSocket, transports } from 'engine.io'
import { Socket as NetSocket } from 'node:net'
import { PassThrough } from 'node:stream'
import * as ws from 'ws'
import { nodeHttp } from '../http/node-http.ts'

type Fields = Record<string, unknown>
export type ProbeConnection = Record<
  'engineSocket' | 'transport' | 'polling' | 'webSocket' | 'sender' | 'receiver' | 'tcpHandle' | 'httpParser',
  Fields
>

/** Creates an unconnected connection from the libraries' own classes. A part that cannot be created is empty. */
export function createProbeConnection(): ProbeConnection {
  const probe: ProbeConnection = {
    engineSocket: {},
    transport: {},
    polling: {},
    webSocket: {},
    sender: {},
    receiver: {},
    tcpHandle: {},
    httpParser: {},
  }
  const tcp = new NetSocket()
  const classes = { ...ws, ...transports } as unknown as Record<string, new (...args: unknown[]) => Fields>
  const make = (part: keyof ProbeConnection, create: () => unknown) => {
    try {
      probe[part] = (create() ?? {}) as Fields
    } catch {
      // The constructor has changed: the part stays empty, so its internals count as missing.
    }
  }
  make('webSocket', () => classes['WebSocket'] && new classes['WebSocket'](null, undefined, {}))
  make('sender', () => classes['Sender'] && new classes['Sender'](tcp))
  make('receiver', () => classes['Receiver'] && new classes['Receiver']())
  const request = { _query: { EIO: '4' }, websocket: probe.webSocket, headers: {}, connection: {} }
  make('transport', () => classes['websocket'] && new classes['websocket'](request))
  make('polling', () => classes['polling'] && new classes['polling'](request))
  make('httpParser', createHttpParser)
  // Engine.IO sends nothing to a transport that is not writable.
  probe.transport['writable'] = false
  make('engineSocket', () => createEngineSocket(probe.transport, request))
  make('tcpHandle', () => tcp.connect({ host: '127.0.0.1', port: 1 }) && Reflect.get(tcp, '_handle'))
  // Destroy the socket in the same turn of the event loop, so that it never connects.
  tcp.destroy()
  return probe
}

/** Returns the HTTP parser that a server creates for a connection. The server does not listen. */
function createHttpParser(): unknown {
  const connection = new PassThrough()
  nodeHttp.createServer().emit('connection', connection)
  const parser: unknown = Reflect.get(connection, 'parser')
  connection.destroy()
  return parser
}

function createEngineSocket(transport: object, request: object): EngineSocket {
  const server = { opts: { pingInterval: 1_000, pingTimeout: 1_000 }, upgrades: () => [], emit: () => undefined }
  const create = EngineSocket as unknown as new (...args: unknown[]) => EngineSocket & Fields
  const engineSocket = new create('probe', server, transport, request, 4)
  for (const timer of [engineSocket['pingIntervalTimer'], engineSocket['pingTimeoutTimer']]) {
    clearTimeout(timer as NodeJS.Timeout)
  }
  return engineSocket
}
