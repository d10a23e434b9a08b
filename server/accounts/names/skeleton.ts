import { confusables } from './confusables.ts'

/**
 * Prototypes of look-alike characters. They are loaded when they are first needed, to keep the start of the server and its
 * threads fast.
 */
let prototypes: ReadonlyMap<string, string> | undefined

/** Flags that fonts draw like another flag, or nearly so, each with that other flag. */
const sameFlags = new Map([
  ['🇺🇲', '🇺🇸'],
  ['🇸🇯', '🇳🇴'],
  ['🇧🇻', '🇳🇴'],
  ['🇲🇫', '🇫🇷'],
  ['🇨🇵', '🇫🇷'],
  ['🇭🇲', '🇦🇺'],
  ['🇩🇬', '🇮🇴'],
  ['🇪🇦', '🇪🇸'],
  ['🇲🇨', '🇮🇩'],
  ['🇹🇩', '🇷🇴'],
  ['🇱🇺', '🇳🇱'],
])

/**
 * Returns the skeleton (UTS 39) of a text, which is equal for texts that look alike. Do not display a skeleton. Repeated
 * marks on a letter count once, and their order does not count. Strokes through a letter do not count, because 'đ' and 'd'
 * are hard to distinguish. The exception is 'ø', whose stroke extends beyond the letter.
 */
export function skeleton(text: string): string {
  prototypes ??= readTable(confusables)
  let mapped = ''
  const decomposed = text.normalize('NFD').replace(/\p{RI}{2}/gu, (flag) => sameFlags.get(flag) ?? flag)
  for (const character of decomposed) mapped += prototypes.get(character) ?? character
  return mapped
    .normalize('NFD')
    .replace(/(?<!o)\u0338/giu, '')
    .replace(/\p{M}{2,}/gu, (marks) => [...new Set(marks)].toSorted().join(''))
}

function readTable(lines: readonly string[]): Map<string, string> {
  const table = new Map<string, string>()
  for (const entry of lines.flatMap((line) => line.split(';'))) {
    const [prototype = '', lookAlikes = ''] = entry.split('=')
    for (const lookAlike of lookAlikes.split(' ')) table.set(fromHex(lookAlike), fromHex(prototype))
  }
  return table
}

/** Returns the text of hexadecimal code points, such as '63+6c'. */
export function fromHex(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split('+').map((codePoint) => Number.parseInt(codePoint, 16)))
}
