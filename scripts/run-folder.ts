import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Shell script that waits until its standard input is closed. It then unmounts the file systems in the folder `$0` and
 * removes the folder. The end of this process closes the standard input, also if the process is killed.
 */
const removal = `cat; sleep 1
  grep -o " $0/[^ ]*" /proc/mounts | while read -r mounted; do umount --lazy "$mounted"; done
  rm -rf "$0"`

/**
 * Creates a temporary folder and sets TMPDIR to it, for this process and its child processes. A shell removes the folder
 * after this process has ended. Returns the process id of that shell.
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
