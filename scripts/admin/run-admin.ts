import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { adminSocketOf, type Environment, readSettings } from '../../server/config/settings.ts'
import type { AdminRequest, AdminResponse } from '../../server/transport/admin/admin-request.ts'
import { UsageError } from '../../server/transport/admin/command.ts'
import { helpFor } from '../../server/transport/admin/help.ts'
import { parseCommand, type ParsedCommand } from '../../server/transport/admin/parse-command.ts'

interface Terminal {
  env: Environment
  /** Returns the standard input of the command if it comes from a pipe, a file or a socket; `null` otherwise. */
  readInput: () => Promise<string | null>
  print: (text: string) => void
  printError: (line: string) => void
}

const exitCodes = { success: 0, failure: 1, usage: 2 } as const

/** Runs one command on the running server, or prints its help. Returns the exit code. */
export async function runAdmin(argv: string[], { env, readInput, print, printError }: Terminal): Promise<number> {
  function fail({ code, message }: { code: string; message: string }, exitCode: number): number {
    if (argv.includes('--json')) print(JSON.stringify({ error: { code, message } }, null, 2))
    else printError(message)
    return exitCode
  }

  const help = helpFor(argv)
  if (help !== null) {
    print(help)
    return exitCodes.success
  }
  let parsed: ParsedCommand
  try {
    parsed = parseCommand(argv, null)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return fail({ code: 'invalid', message: error.message }, exitCodes.usage)
  }
  const input = parsed.command.readsInput === true ? await readInput() : null
  const response = await send(socketPathOf(env), { argv, input })
  if (!response.ok) return fail(response, exitCodes.failure)
  print(parsed.isJson ? JSON.stringify(response.data, null, 2) : response.text)
  return exitCodes.success
}

/**
 * Returns the path of the admin socket. Reads only `ADMIN_SOCKET` and `DATA_DIR`; the other settings need not be set
 * here.
 */
function socketPathOf({ ADMIN_SOCKET, DATA_DIR }: Environment): string {
  return adminSocketOf(readSettings({ ADMIN_SOCKET, DATA_DIR }))?.path ?? ''
}

/** Sends a command to the running server. Resolves to `unavailable` without a valid response. */
function send(socketPath: string, body: AdminRequest): Promise<AdminResponse> {
  return new Promise((resolve) => {
    const unreachable = (error: NodeJS.ErrnoException) =>
      resolve({ ok: false, code: 'unavailable', message: describeFailure(socketPath, error) })
    const sent = request({ socketPath, method: 'POST', agent: false }, (response) => {
      text(response)
        .then((json) => JSON.parse(json) as AdminResponse)
        .then(resolve, unreachable)
    })
    sent.on('error', unreachable)
    sent.end(JSON.stringify(body))
  })
}

function describeFailure(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EACCES') return `permission denied: ${path}; run the command as the user of the server or as root`
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return `no server listens on ${path}; start the server, or set DATA_DIR or ADMIN_SOCKET to the same value as for the server`
  }
  return `the server at ${path} gave no valid response (${message}); the command may or may not have run; check before you repeat it`
}
