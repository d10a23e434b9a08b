import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder and removes it when the test is done. */
export function temporaryFolder(whenDone: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-'))
  whenDone(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
