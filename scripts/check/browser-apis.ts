import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { features } from 'web-features'
import { supportedBrowsers } from '../../web/supported-browsers.ts'
import { root, logLine } from '../steps.ts'

const { chrome, edge, firefox, safari } = supportedBrowsers
const oldest = {
  chrome,
  chrome_android: chrome,
  edge,
  firefox,
  firefox_android: firefox,
  safari,
  safari_ios: safari,
} as const

/**
 * Matches interfaces whose members the check searches by name. Members of other interfaces share names with properties
 * of the page.
 */
const commonInterface =
  /^(?:Window|Document|Element|HTML\w*Element|Node|Range|Selection|Navigator|Crypto|Clipboard|Response|Request|Headers)$/

/** Newer interfaces and members that the page uses only after feature detection. */
const detected = new Set(['setAppBadge', 'clearAppBadge', 'Highlight', 'highlights', 'Notification'])

interface Api {
  /** Name of an interface or a global. */
  owner: string
  /** Name of the member; `null` for the interface or the global itself. */
  member: string | null
  /**
   * Whether the member is static; also `false` for static members of language built-ins, because the data does not mark
   * them.
   */
  isStatic: boolean
}

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.replace('≤', '').split('.').map(Number)
  return major === wantedMajor ? minor >= wantedMinor : major > wantedMajor
}

/** Parses a key such as `api.URL.parse_static`. Returns `null` for events, parameters and keys that are not APIs. */
function parseApi(key: string): Api | null {
  const [, , owner, member = null, ...details] = key.replace(/^api\./, 'api.browser.').split('.')
  if (!/^(?:api|javascript\.builtins)\./.test(key) || owner === undefined || details.length > 0) return null
  if (member?.endsWith('_event') === true) return null
  return { owner, member: member?.replace(/_static$/, '') ?? null, isStatic: member?.endsWith('_static') ?? false }
}

function readApis() {
  const newer: Api[] = []
  const supportedMembers = new Set<string>()
  const statuses = Object.values(features).flatMap((feature) =>
    feature.kind === 'feature' ? Object.entries(feature.status.by_compat_key ?? {}) : [],
  )
  for (const [key, { support }] of statuses) {
    const api = parseApi(key)
    if (api === null) continue
    const isSupported = Object.entries(oldest).every(([browser, version]) => {
      const since = support[browser as keyof typeof oldest]
      return since !== undefined && isAtLeast(version, since)
    })
    if (!isSupported) newer.push(api)
    else if (api.member !== null) supportedMembers.add(api.member)
  }
  return { newer, supportedMembers }
}

const { newer, supportedMembers } = readApis()

/** APIs that the oldest supported version of at least one browser lacks. */
export const newerApis: readonly Api[] = newer

function patternOf({ owner, member, isStatic }: Api): string | null {
  if (detected.has(owner) || (member !== null && detected.has(member))) return null
  if (member === null) return String.raw`\bnew ${owner}\b|\binstanceof ${owner}\b|\b${owner}\.`
  if (isStatic) return String.raw`\b${owner}\.${member}\b`
  if (!commonInterface.test(owner) || supportedMembers.has(member)) return null
  return owner === 'Window' ? String.raw`(?:\bwindow\.|(?<![\w$.]))${member}(?=[.(])` : String.raw`\.${member}\b`
}

const patterns = newer.flatMap((api) => {
  const pattern = patternOf(api)
  return pattern === null ? [] : [{ name: api.member === null ? api.owner : `${api.owner}.${api.member}`, pattern }]
})
const anyNewer = new RegExp(patterns.map(({ pattern }) => pattern).join('|'))

/**
 * Returns the names of newer APIs that a source uses, except those in `detected`. The compiler checks the members of
 * language built-ins (`lib` is ES2023).
 */
export function newerApisIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  if (!anyNewer.test(code)) return []
  return patterns.filter(({ pattern }) => new RegExp(pattern).test(code)).map(({ name }) => name)
}

/**
 * Checks that the sources of the page use only APIs that every supported browser has, except those in `detected`.
 * Prints the problems.
 */
export function checkBrowserApis(): boolean {
  const files = globSync('{web,contract}/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.test.'))
  const problems = files.flatMap((file) =>
    newerApisIn(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: a supported browser lacks ${name}`),
  )
  for (const problem of problems) logLine(problem)
  return problems.length === 0
}
