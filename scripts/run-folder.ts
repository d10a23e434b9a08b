import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Shell script that unmounts what is mounted in the folder `$0`, and removes the folder, once standard input is closed.
 * This also happens when this process is killed.
 */
const removal = `cat; sleep 1
  grep -o " $0/[^ ]*" /proc/mounts | while read -r mounted; do umount --lazy "$mounted"; done
  rm -rf "$0"`

/**
 * Makes a temporary folder the TMPDIR of this process and of all that it starts. A shell removes the folder after this
 * process has ended. Returns the process id of that shell.
 */
export function useRunFolder(prefix: string): number {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  // PostgreSQL runs as another user, in a folder below this one.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  const remover = spawn('sh', ['-c', removal, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  remover.unref()
  return remover.pid ?? 0
}
