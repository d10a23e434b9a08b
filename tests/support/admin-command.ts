import { runAdmin } from '../../scripts/admin/run-admin.ts'

interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs a command of `npm run admin` in this process against the server of a socket. */
export async function adminCommand(
  socket: string,
  argv: string[],
  input: string | null = null,
): Promise<CommandResult> {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const exitCode = await runAdmin(argv, {
    env: { ADMIN_SOCKET: socket },
    readInput: async () => input,
    print: (text) => void stdout.push(text),
    printError: (line) => void stderr.push(line),
  })
  return { exitCode, stdout: stdout.join('\n'), stderr: stderr.join('\n') }
}
