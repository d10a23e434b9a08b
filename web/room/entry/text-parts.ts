import { blankCharacters, invisibleCharacters } from '../../../contract/blank-characters.ts'
import { findLinks } from './links.ts'

/** Part of a message. The joined texts of all parts equal the message. */
export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  /** Run of blank characters that is displayed with the width of one space. */
  | { kind: 'blank'; text: string }
  /** Run of blanks with line breaks. It is displayed as one line break, or as one empty line. */
  | { kind: 'break'; text: string; isEmptyLine: boolean }

/**
 * Maximum number of breaks in a message, where an empty line counts as two; further ones are displayed as spaces.
 * Otherwise, an entry could be hundreds of lines high.
 */
export const maxBreaks = 100

// Blank characters of any width. Invisible characters may be between them.
const blankRuns = new RegExp(
  `[${blankCharacters}](?:[${blankCharacters}${invisibleCharacters}]*[${blankCharacters}])?`,
  'gu',
)
// The browser itself collapses these.
const ordinaryBlanks = /^[ \t\n\r]+$/
const blankLineBreak = /^[\v\f\u0085\u2028\u2029]$/
const lineBreaks = /\r\n?|\n/g

function mustCollapse(blanks: string): boolean {
  if (ordinaryBlanks.test(blanks)) return false
  return blanks.length > 1 || blankLineBreak.test(blanks)
}

/** Returns the part for a run of blanks; `null` if the browser collapses it to one space. */
function blankPart(blanks: string, canBreak: boolean): TextPart | null {
  const breakCount = canBreak ? (blanks.match(lineBreaks)?.length ?? 0) : 0
  if (breakCount > 0) return { kind: 'break', text: blanks, isEmptyLine: breakCount > 1 }
  return mustCollapse(blanks) ? { kind: 'blank', text: blanks } : null
}

/** Returns the number of displayed lines that a part ends. */
function linesOf(part: TextPart): number {
  if (part.kind !== 'break') return 0
  return part.isEmptyLine ? 2 : 1
}

function addText(parts: TextPart[], text: string, isLast: boolean): void {
  let breaks = parts.reduce((sum, part) => sum + linesOf(part), 0)
  let end = 0
  for (const { 0: blanks, index } of text.matchAll(blankRuns)) {
    const isAtEdge = (index === 0 && parts.length === 0) || (isLast && index + blanks.length === text.length)
    const part = blankPart(blanks, !isAtEdge && breaks < maxBreaks)
    if (part === null) continue
    breaks += linesOf(part)
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) })
    parts.push(part)
    end = index + blanks.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
}

/**
 * Splits a message into text, links, blanks and line breaks. Runs of wide whitespace become blanks, because they could move
 * a forged entry of another user onto its own line. Line breaks at the start and the end are not displayed.
 */
export function textParts(message: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { start, text, href } of findLinks(message)) {
    addText(parts, message.slice(end, start), false)
    parts.push({ kind: 'link', text, href })
    end = start + text.length
  }
  addText(parts, message.slice(end), true)
  return parts
}
