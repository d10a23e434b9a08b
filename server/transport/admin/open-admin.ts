import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Compile } from 'typebox/compile'
import { RejectionError } from '../../base/rejection-error.ts'
import { StorageError } from '../../base/storage-error.ts'
import { adminSocketOf } from '../../config/settings.ts'
import type { Report } from '../../observe/events.ts'
import type { ModuleContext } from '../../observe/module-context.ts'
import { nodeHttp } from '../http/node-http.ts'
import { AdminRequest, type AdminResponse } from './admin-request.ts'
import { type AdminContext, UsageError } from './command.ts'
import { parseCommand } from './parse-command.ts'
import { listenOnSocket } from './socket-file.ts'

const isAdminRequest = Compile(AdminRequest)

/**
 * Serves the commands of `npm run admin` on a Unix socket: HTTP with JSON. A user who can open the socket acts as the
 * operator.
 */
export async function openAdmin({ settings, report, resources }: ModuleContext, context: AdminContext): Promise<void> {
  const socket = adminSocketOf(settings)
  if (socket === null) return
  const server = nodeHttp.createServer((request, response) => {
    void respond(request, context, report).then((body) => {
      response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' }).end(body)
    })
  })
  try {
    await listenOnSocket(server, socket.path)
  } catch (error) {
    if (socket.isChosen) throw error
    report({ type: 'admin-socket-failed', path: socket.path, error })
    return
  }
  resources.defer(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
}

/** Runs the command of a request and returns the response as JSON. */
async function respond(request: IncomingMessage, context: AdminContext, report: Report): Promise<string> {
  try {
    const { argv, input } = await readRequest(request)
    const { run } = parseCommand(argv, input)
    return JSON.stringify({ ok: true, ...(await run(context)) } satisfies AdminResponse)
  } catch (error) {
    return JSON.stringify(responseTo(error, report))
  }
}

async function readRequest(request: IncomingMessage): Promise<AdminRequest> {
  // The body needs no limit: only the operator can open the socket.
  const sent = await text(request)
  let body: unknown
  try {
    body = JSON.parse(sent)
  } catch {
    throw new UsageError('the request is not JSON')
  }
  if (!isAdminRequest.Check(body)) throw new UsageError('the request is malformed')
  return body
}

function responseTo(error: unknown, report: Report): AdminResponse {
  if (error instanceof UsageError) return { ok: false, code: 'invalid', message: error.message }
  if (error instanceof RejectionError) return { ok: false, code: error.code, message: error.message }
  if (error instanceof StorageError)
    return { ok: false, code: 'unavailable', message: `The storage is not available: ${error.message}` }
  report({ type: 'handler-failed', handler: 'admin command', error })
  return { ok: false, code: 'internal', message: 'Something went wrong on the server; see its log.' }
}
