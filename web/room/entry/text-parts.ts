import { findLinks } from './links.ts'

/** A part of a message. The joined texts of all parts equal the message. */
export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; href: string }
  /** Displayed with the width of one space. */
  | { kind: 'blank'; text: string }

// Whitespace of any width and characters that display as empty space. Invisible characters may be between them.
const blank = String.raw`\s\u0085\u2800\u3164\u115f\u1160\uffa0\u{13441}\u{13442}\u{1d159}`
const blankRuns = new RegExp(String.raw`[${blank}](?:[${blank}\p{Default_Ignorable_Code_Point}]*[${blank}])?`, 'gu')
// The browser itself collapses these.
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
 * Splits a message into text, links and blanks. Runs of wide whitespace become blanks, because they could move a forged
 * entry of another user onto its own line.
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
