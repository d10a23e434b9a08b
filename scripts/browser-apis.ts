import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { features } from 'web-features'
import { supportedBrowsers } from '../web/supported-browsers.ts'
import { root, say } from './steps.ts'

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

/** Interfaces whose members are found by name alone; members of rarer ones are named like properties of our own. */
const commonInterface =
  /^(?:Window|Document|Element|HTML\w*Element|Node|Range|Selection|Navigator|Crypto|Clipboard|Response|Request|Headers)$/

/** Newer members that the page uses only where the browser has them. */
const detected = new Set(['setAppBadge', 'clearAppBadge'])

interface Api {
  /** An interface, or a global. */
  owner: string
  /** `null` for the interface or the global itself. */
  member: string | null
  /** `false` also for static members of language built-ins: the data does not tell them apart. */
  isStatic: boolean
}

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.replace('≤', '').split('.').map(Number)
  return major === wantedMajor ? minor >= wantedMinor : major > wantedMajor
}

/** Reads keys such as `api.URL.parse_static`; `null` for events, parameters and everything that is no API. */
function apiOf(key: string): Api | null {
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
    const api = apiOf(key)
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

/** APIs that at least one of the supported browsers lacks. */
export const newerApis: readonly Api[] = newer

function patternOf({ owner, member, isStatic }: Api): string | null {
  if (member === null) return String.raw`\bnew ${owner}\b|\binstanceof ${owner}\b|\b${owner}\.`
  if (isStatic) return String.raw`\b${owner}\.${member}\b`
  if (!commonInterface.test(owner) || supportedMembers.has(member) || detected.has(member)) return null
  return owner === 'Window' ? String.raw`(?:\bwindow\.|(?<![\w$.]))${member}(?=[.(])` : String.raw`\.${member}\b`
}

const patterns = newer.flatMap((api) => {
  const pattern = patternOf(api)
  return pattern === null ? [] : [{ name: api.member === null ? api.owner : `${api.owner}.${api.member}`, pattern }]
})
const anyNewer = new RegExp(patterns.map(({ pattern }) => pattern).join('|'))

/** Names the newer APIs that a source uses. Language built-ins are left to the compiler: `lib` is ES2023. */
export function newerApisIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  if (!anyNewer.test(code)) return []
  return patterns.filter(({ pattern }) => new RegExp(pattern).test(code)).map(({ name }) => name)
}

/** Whether the page's sources use only APIs that every supported browser has. */
export function checkBrowserApis(): boolean {
  const files = globSync('{web,contract}/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.test.'))
  const faults = files.flatMap((file) =>
    newerApisIn(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: a supported browser lacks ${name}`),
  )
  for (const fault of faults) say(fault)
  return faults.length === 0
}
