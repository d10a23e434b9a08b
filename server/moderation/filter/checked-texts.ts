import { randomUUID } from 'node:crypto'
import type { Announcement } from '../../../contract/moderation.ts'
import { rejection } from '../moderation-rejection.ts'
import { isUsableWord, maxWordCharacters } from './word-filter.ts'

export const maxAnnouncementCharacters = 500

/** Returns the word as it is stored. Throws if the word is too long or the filter cannot use it. */
export function checkedWord(text: string): string {
  const word = text.trim().replace(/\s+/gu, ' ')
  if (word.length > maxWordCharacters || !word.isWellFormed() || !isUsableWord(word)) {
    throw rejection('invalid', `A word needs a letter or a digit, and at most ${maxWordCharacters} characters.`)
  }
  return word
}

/** Returns an announcement with this text, or `null` if the text is `null`. Throws if the text is not valid. */
export function announcementOf(text: string | null): Announcement | null {
  if (text === null) return null
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > maxAnnouncementCharacters || !trimmed.isWellFormed()) {
    throw rejection('invalid', `An announcement has 1 to ${maxAnnouncementCharacters} characters.`)
  }
  return { id: randomUUID(), text: trimmed }
}
