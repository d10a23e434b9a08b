import { blankCharacters, invisibleCharacters } from '../../../contract/blank-characters.ts'
import { findLinks } from './links.ts'

/** Part of a message. The joined texts of all parts equal the message, except for blanks beyond `maxElements`. */
export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  /** Run of blank characters that is displayed with the width of one space. */
  | { kind: 'blank'; text: string }
  /** Run of blanks with line breaks. It is displayed as one line break, or as one empty line. */
  | { kind: 'break'; text: string; isEmptyLine: boolean }

/**
 * Number of displayed line breaks from which further line breaks of a message are displayed as spaces. An empty line
 * counts as two. Without this limit, an entry could be hundreds of lines high.
 */
export const maxBreaks = 100

/**
 * Maximum number of elements in a message besides those of its line breaks: links and runs of blanks. Further links are
 * plain text, and further runs become one space or their line breaks. Without the maximum, a few entries with thousands
 * of elements would make the page slow.
 */
export const maxElements = 100

// Blank characters of any width. Invisible characters may be between them.
const blankRuns = new RegExp(
  `[${blankCharacters}](?:[${blankCharacters}${invisibleCharacters}]*[${blankCharacters}])?`,
  'gu',
)
const ordinaryBlanks = /^[ \t\n\r]+$/
const blankLineBreak = /^[\v\f\u0085\u2028\u2029]$/
const lineBreaks = /\r\n?|\n/g

/** Returns whether the browser itself collapses a run of blanks. */
export const isOrdinary = (blanks: string) => ordinaryBlanks.test(blanks)

function mustCollapse(blanks: string): boolean {
  return !isOrdinary(blanks) && (blanks.length > 1 || blankLineBreak.test(blanks))
}

/** Reduces a run of blanks that only an element could collapse to its line breaks, or to one space. */
function collapsed(blanks: string): string {
  return mustCollapse(blanks) ? (blanks.match(lineBreaks)?.join('') ?? ' ') : blanks
}

/** Returns the part for a run of blanks; `null` if it is plain text. */
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

/** Returns the number of elements of a part, without those of the displayed line breaks. */
function elementsOf({ kind, text }: TextPart): number {
  return kind === 'text' || (kind === 'break' && isOrdinary(text)) ? 0 : 1
}

const sum = (parts: TextPart[], valueOf: (part: TextPart) => number) =>
  parts.reduce((total, part) => total + valueOf(part), 0)

function addText(parts: TextPart[], text: string, isLast: boolean): void {
  let breaks = sum(parts, linesOf)
  let elements = sum(parts, elementsOf)
  let plain = ''
  let end = 0
  for (const { 0: blanks, index } of text.matchAll(blankRuns)) {
    const isAtEdge = (index === 0 && parts.length === 0) || (isLast && index + blanks.length === text.length)
    const shown = elements < maxElements ? blanks : collapsed(blanks)
    const part = blankPart(shown, !isAtEdge && breaks < maxBreaks)
    plain += text.slice(end, index)
    end = index + blanks.length
    if (part === null) {
      plain += shown
      continue
    }
    breaks += linesOf(part)
    elements += elementsOf(part)
    if (plain !== '') parts.push({ kind: 'text', text: plain })
    parts.push(part)
    plain = ''
  }
  plain += text.slice(end)
  if (plain !== '') parts.push({ kind: 'text', text: plain })
}

/**
 * Splits a message into text, links, blanks and line breaks. Runs of wide whitespace become blanks, because they could move
 * a forged entry of another user onto its own line. Line breaks at the start and the end are not displayed. The number of
 * elements that display the parts has a maximum.
 */
export function textParts(message: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { start, text, href } of findLinks(message)) {
    // The element of a link cannot collapse blanks.
    if (text.search(blankRuns) !== -1) continue
    addText(parts, message.slice(end, start), false)
    end = start
    if (sum(parts, elementsOf) >= maxElements) break
    parts.push({ kind: 'link', text, href })
    end += text.length
  }
  addText(parts, message.slice(end), true)
  return parts
}
