import { confusables } from './confusables.ts'

/** Read for the first name that is judged: every thread of every start would wait for it. */
let prototypes: ReadonlyMap<string, string> | undefined

/**
 * UTS 39's skeleton: two texts that look alike have the same one. It is for comparing, never for showing. A mark that a
 * letter bears twice counts once, and a stroke through a letter not at all: 'đ' is hardly told from 'd' in a line of
 * text. Only 'ø' is: its stroke reaches out of it.
 */
export function skeleton(text: string): string {
  prototypes ??= readTable(confusables)
  let mapped = ''
  for (const character of text.normalize('NFD')) mapped += prototypes.get(character) ?? character
  return mapped
    .normalize('NFD')
    .replace(/(?<!o)\u0338/giu, '')
    .replace(/\p{M}{2,}/gu, (marks) => [...new Set(marks)].join(''))
}

function readTable(lines: readonly string[]): Map<string, string> {
  const table = new Map<string, string>()
  for (const entry of lines.flatMap((line) => line.split(';'))) {
    const [prototype = '', lookAlikes = ''] = entry.split('=')
    for (const lookAlike of lookAlikes.split(' ')) table.set(fromHex(lookAlike), fromHex(prototype))
  }
  return table
}

function fromHex(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split('+').map((codePoint) => Number.parseInt(codePoint, 16)))
}
