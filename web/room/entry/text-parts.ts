import { findLinks } from './links.ts'

/** What a message is drawn from. Joined again, the texts of the parts are the message to the letter. */
export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  /** Drawn as one blank, however wide it would be. */
  | { kind: 'blank'; text: string }

// Blanks of any width and what is drawn as an empty place; between them may stand what is not drawn at all.
const blank = String.raw`\s\u0085\u2800\u3164\u115f\u1160\uffa0\u{13441}\u{13442}\u{1d159}`
const blankRuns = new RegExp(String.raw`[${blank}](?:[${blank}\p{Default_Ignorable_Code_Point}]*[${blank}])?`, 'gu')
// These the browser itself draws as one.
const ordinaryBlanks = /^[ \t\n\r]+$/
const lineBreak = /^[\v\f\u0085\u2028\u2029]$/

function mustCollapse(blanks: string): boolean {
  if (ordinaryBlanks.test(blanks)) return false
  return blanks.length > 1 || lineBreak.test(blanks)
}

function addText(parts: TextPart[], text: string): void {
  let end = 0
  for (const { 0: blanks, index } of text.matchAll(blankRuns)) {
    if (!mustCollapse(blanks)) continue
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) })
    parts.push({ kind: 'blank', text: blanks })
    end = index + blanks.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
}

/**
 * Cuts a message into what is drawn as text, as a link and as a blank: a run of wide blanks could push what looks like
 * another's entry onto a line of its own.
 */
export function textParts(message: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { start, text, href } of findLinks(message)) {
    addText(parts, message.slice(end, start))
    parts.push({ kind: 'link', text, href })
    end = start + text.length
  }
  addText(parts, message.slice(end))
  return parts
}
