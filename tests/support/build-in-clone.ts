import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface BuildOptions {
  nodeFlags?: readonly string[]
  /** Whether to skip pages that are built from the current sources. */
  onlyMissing?: boolean
}

export function startBuild(clone: string, { nodeFlags = [], onlyMissing = false }: BuildOptions = {}) {
  const script = join(clone, 'scripts/build/ensure-build.ts')
  const child = spawn(process.execPath, [...nodeFlags, script, ...(onlyMissing ? ['--only-missing'] : [])], {
    cwd: clone,
    stdio: 'ignore',
  })
  return { child, ended: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string) }
}

export async function build(clone: string, options: BuildOptions = {}): Promise<void> {
  const outcome = await startBuild(clone, options).ended
  if (outcome !== 0) throw new Error(`the build exited with ${outcome}`)
}

/**
 * Changes the sources so that the style sheet and the scripts of the application, but not React, get new file names.
 */
export function changeSources(clone: string, mark: string): void {
  for (const [file, addition] of [
    ['web/app/main.tsx', `\nconsole.debug('${mark}')\n`],
    ['web/accounts/form-screen.tsx', `\nObject.assign(FormScreen, { displayName: '${mark}' })\n`],
    ['web/styles.css', `\n.${mark} { color: red; }\n`],
  ] as const) {
    writeFileSync(join(clone, file), readFileSync(join(clone, file), 'utf8') + addition)
  }
}
