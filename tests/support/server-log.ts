import { onTestFailed } from 'vitest'

const maxCharacters = 20_000

/** Prints the end of a server's log when the test fails. */
export function showLogOnFailure(readLog: () => string): void {
  onTestFailed(() => {
    const log = readLog()
    if (log !== '') console.error(`Log of the server:\n${log.slice(-maxCharacters)}`)
  })
}
