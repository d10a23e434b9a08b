import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminCommandsTable } from './docs/admin-commands.ts'
import { callCodesTable, connectCodesTable, sendCodesTable } from './docs/error-codes.ts'
import { limitsTables } from './docs/limits.ts'
import { logLinesTable } from './docs/log-lines.ts'
import { metricsTable } from './docs/metrics.ts'
import { findDeadPaths } from './docs/paths.ts'
import { replaceSection } from './docs/sections.ts'
import { settingsTable } from './docs/settings.ts'
import { root, logLine } from './steps.ts'

type Section = readonly [file: string, name: string, content: () => string | Promise<string>]

const sections: readonly Section[] = [
  ['README.md', 'settings', settingsTable],
  ['docs/limits.md', 'limits', limitsTables],
  ['docs/operating.md', 'admin-commands', adminCommandsTable],
  ['docs/operating.md', 'metrics', metricsTable],
  ['docs/operating.md', 'log-lines', logLinesTable],
  ['docs/protocol.md', 'send-codes', sendCodesTable],
  ['docs/protocol.md', 'connect-codes', connectCodesTable],
  ['docs/protocol.md', 'call-codes', callCodesTable],
]

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Returns the documents that have generated parts, with these parts up to date. */
async function renderDocuments(): Promise<Map<string, string>> {
  const documents = new Map<string, string>()
  for (const [file, name, content] of sections) {
    documents.set(file, replaceSection(documents.get(file) ?? read(file), name, await content()))
  }
  return documents
}

/** Checks that generated parts are current and that every path in a document exists. Prints the problems. */
export async function checkDocuments(): Promise<boolean> {
  const problems: string[] = []
  for (const [file, text] of await renderDocuments()) {
    if (read(file) !== text) problems.push(`${file}: a generated part is stale; run npm run docs`)
  }
  for (const path of globSync('{*.md,docs/*.md,docs/decisions/*.md}', { cwd: root })) {
    const dead = findDeadPaths({ path, text: read(path) }, (target) => existsSync(join(root, target)))
    problems.push(...dead.map((target) => `${path}: ${target} does not exist`))
  }
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

if (import.meta.main) {
  for (const [file, text] of await renderDocuments()) {
    if (read(file) === text) continue
    writeFileSync(join(root, file), text)
    logLine(`wrote ${file}`)
  }
}
