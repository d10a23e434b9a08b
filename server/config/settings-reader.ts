import { isIP } from 'node:net'
import type { SettingName } from './setting-names.ts'

export type Environment = Record<string, string | undefined>

/** Reads one variable at a time; `undefined` when it is not set, or is bad, which `problems` then tells. */
export function createSettingsReader(env: Environment) {
  const problems: string[] = []

  function addProblem(name: SettingName, why: string): undefined {
    problems.push(`${name}: ${why}`)
  }

  /** What is there but blank counts as not set. */
  function text(name: SettingName): string | undefined {
    return env[name]?.trim() || undefined
  }

  function number(name: SettingName, isValid: (value: number) => boolean, expected: string): number | undefined {
    const value = text(name)
    if (value === undefined) return undefined
    // As people write it: what Number() also reads, like 0x1006 and 1e3, is more likely a slip.
    if (/^\d+(\.\d+)?$/.test(value) && isValid(Number(value))) return Number(value)
    return addProblem(name, `'${value}' is not ${expected}`)
  }

  function list(name: SettingName, problemOf: (item: string) => string | null): string[] {
    const items = (text(name) ?? '').split(/[\s,]+/).filter((item) => item !== '')
    const problem = items.map(problemOf).find((found) => found !== null)
    if (problem !== undefined) addProblem(name, problem)
    return items
  }

  return {
    problems,
    addProblem,
    text,
    wholeNumber: (name: SettingName, min: number, max: number) =>
      number(
        name,
        (value) => Number.isInteger(value) && value >= min && value <= max,
        `a whole number from ${min} to ${max}`,
      ),
    positive: (name: SettingName, max: number) =>
      number(name, (value) => value > 0 && value <= max, `a number above 0 and up to ${max}`),
    /** 0 stands for no limit. */
    rate: (name: SettingName, min: number, max: number) =>
      number(name, (value) => value === 0 || (value >= min && value <= max), `0 or a number from ${min} to ${max}`),
    oneOf<Choice extends string>(name: SettingName, choices: readonly Choice[]): Choice | undefined {
      const value = text(name)
      const chosen = choices.find((choice) => choice === value)
      return value === undefined || chosen !== undefined
        ? chosen
        : addProblem(name, `'${value}' is none of ${choices.join(', ')}`)
    },
    /** It may hold a password, and is never repeated. */
    address(name: SettingName, problemOf: (url: string) => string | null): string | undefined {
      const value = text(name)
      const problem = value === undefined ? null : problemOf(value)
      return problem === null ? value : addProblem(name, problem)
    },
    origins: (name: SettingName) => list(name, problemOfOrigin),
    addressRanges: (name: SettingName) =>
      list(name, (item) => (isAddressRange(item) ? null : `'${item}' is not an IP address or a range like 10.0.0.0/8`)),
  }
}

export type SettingsReader = ReturnType<typeof createSettingsReader>

/** Browsers name an origin in exactly this form; anything else would never match. */
function problemOfOrigin(text: string): string | null {
  if (text.includes('*')) return `'${text}' has a *; name every origin, like https://chat.example.org`
  const isOrigin = URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text)
  return isOrigin ? null : `'${text}' is not an origin like https://chat.example.org`
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
