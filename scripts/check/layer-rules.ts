import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.ts'

const configFile = '.oxlintrc.json'
const importRule = 'no-restricted-imports'

interface LintConfig {
  overrides: { files: string[]; rules: Record<string, unknown> }[]
}

/** Returns the imports that the rules forbid to the files of a folder of server/. */
function forbiddenImports({ overrides }: LintConfig, folder: string): string[] {
  const rules = overrides.find(({ files }) => files.includes(`server/${folder}/**`))?.rules[importRule]
  const [, options] = (rules ?? []) as [level?: string, options?: { patterns: { group: string[] }[] }]
  return options?.patterns.flatMap(({ group }) => group) ?? []
}

/**
 * Compares the layer rules with the folders of server/. Of any two folders, at least one must not import the other.
 * Returns one line per problem.
 */
export function findLayerProblems(config: LintConfig, folders: readonly string[]): string[] {
  const mayImport = (from: string, to: string) => !forbiddenImports(config, from).includes(`**/${to}/**`)
  return folders.flatMap((first, index) =>
    folders
      .slice(index + 1)
      .filter((second) => mayImport(first, second) && mayImport(second, first))
      .map((second) => `no rule says which of server/${first} and server/${second} may import the other`),
  )
}

/** Checks that the layer rules cover every folder of server/. Prints the problems. */
export function checkLayerRules(): boolean {
  const config = JSON.parse(readFileSync(join(root, configFile), 'utf8')) as LintConfig
  const entries = readdirSync(join(root, 'server'), { withFileTypes: true })
  const problems = findLayerProblems(
    config,
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
  )
  for (const problem of problems) console.error(`${configFile}: ${problem}`)
  return problems.length === 0
}
