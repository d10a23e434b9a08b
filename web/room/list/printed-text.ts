import type { Entry } from '../../connection/receive/message-buffer.ts'
import { entryParts, separator } from '../entry/entry-text.ts'
import { noticeTexts } from '../entry/message-entry.tsx'
import { oneLine } from '../entry/one-line.ts'
import { type TextPart, textParts } from '../entry/text-parts.ts'

const lineBreak = /[\r\n]/

function partText(part: TextPart): string {
  if (part.kind === 'break') return part.isEmptyLine ? '\n\n' : '\n'
  return oneLine(part.text)
}

/** Returns the texts of a printed entry. A text at an odd index is written by a user, and can have any direction. */
export function printedTexts(entry: Entry): string[] {
  if (entry.kind !== 'message') return [noticeTexts[entry.kind]]
  const { time, username, message } = entryParts(entry.message)
  const text = lineBreak.test(message) ? textParts(message).map(partText).join('') : oneLine(message)
  return [`${entry.number}. [${time}] `, username, separator, text]
}
