import { isIP } from 'node:net'

/** Parser of the text of a variable. A problem is a text for the operator that follows the setting's name. */
export type SettingType<Value> = (text: string) => { value: Value } | { problem: string }

export const text: SettingType<string> = (value) => ({ value })

/** Returns the type of a setting whose default may be `undefined`. */
export function optional<Value>(type: SettingType<Value>): SettingType<Value | undefined> {
  return type
}

export function wholeNumber(min: number, max: number): SettingType<number> {
  const isValid = (value: number) => Number.isInteger(value) && value >= min && value <= max
  return number(isValid, `a whole number from ${min} to ${max}`)
}

export function positiveNumber(max: number): SettingType<number> {
  return number((value) => value > 0 && value <= max, `a number above 0 and up to ${max}`)
}

/** Returns the type of a rate per second. 0 means no limit. */
export function rate(min: number, max: number): SettingType<number> {
  const isValid = (value: number) => value === 0 || (value >= min && value <= max)
  return number(isValid, `0 or a number from ${min} to ${max}`)
}

export function oneOf<Choice extends string>(...choices: Choice[]): SettingType<Choice> {
  return (given) => {
    const value = choices.find((choice) => choice === given)
    return value === undefined ? { problem: `'${given}' is not valid; use one of ${choices.join(', ')}` } : { value }
  }
}

/** Returns the type of a URL that can contain a password. The problem must not repeat the URL. */
export function secretUrl(findProblem: (url: string) => string | null): SettingType<string> {
  return (value) => {
    const problem = findProblem(value)
    return problem === null ? { value } : { problem }
  }
}

export const origins = list(findOriginProblem)
export const addressRanges = list(findAddressRangeProblem)

function number(isValid: (value: number) => boolean, expected: string): SettingType<number> {
  return (given) => {
    // Number() also accepts forms like 0x1006 and 1e3, which are probably mistakes here.
    const isDecimal = /^\d+(\.\d+)?$/.test(given)
    return isDecimal && isValid(Number(given)) ? { value: Number(given) } : { problem: `'${given}' is not ${expected}` }
  }
}

/** Returns the type of a list that is separated by commas or white space. */
function list(findItemProblem: (item: string) => string | null): SettingType<string[]> {
  return (given) => {
    const value = given.split(/[\s,]+/).filter((item) => item !== '')
    const problem = value.map(findItemProblem).find((found) => found !== null)
    return problem === undefined ? { value } : { problem }
  }
}

/**
 * Returns why a text is not an origin, or `null`. Accepts only the exact form that browsers send in `Origin`. Any other
 * form would never match.
 */
function findOriginProblem(item: string): string | null {
  if (item.includes('*')) return `'${item}' has a *; name every origin, like https://chat.example.org`
  const isOrigin = URL.canParse(item) && new URL(item).origin === item && /^https?:/.test(item)
  return isOrigin ? null : `'${item}' is not an origin like https://chat.example.org`
}

function findAddressRangeProblem(item: string): string | null {
  const [address = '', bits, ...rest] = item.split('/')
  const family = isIP(address)
  const areBitsValid = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  const isRange = family !== 0 && rest.length === 0 && areBitsValid
  return isRange ? null : `'${item}' is not an IP address or a range like 10.0.0.0/8`
}
