import { fstatSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { runAdmin } from './admin/run-admin.ts'
import { logLine } from './steps.ts'

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  // Read input only from a pipe, a file or a socket, so that the command does not wait for a terminal.
  readInput: async () => (hasInput() ? text(process.stdin) : null),
  print: (line) => console.log(line),
  printError: logLine,
})

function hasInput(): boolean {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isFile() || stats.isSocket()
  } catch {
    return false
  }
}
