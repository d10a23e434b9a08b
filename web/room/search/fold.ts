// Accents, and the vowel marks of Hebrew and Arabic, which most texts leave out.
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]/g
// Sharp s, Latin ligatures and full-width characters.
const otherForms = /[ßẞ\ufb00-\ufb06\uff01-\uff5e]/g
const notAscii = /[^\0-\x7f]/
// A character with the marks that follow it, or marks without a character before them.
const characters = /\P{M}\p{M}*|\p{M}+/gu

const plainForm = (character: string) => (/[ßẞ]/.test(character) ? 'ss' : character.normalize('NFKC'))

/**
 * Returns a text without accents and with the plain form of each letter. Marks of other scripts stay, because they make
 * another letter. The text is composed again, so that a syllable of Hangul is one character.
 */
export function fold(text: string): string {
  if (!notAscii.test(text)) return text
  return text.replace(otherForms, plainForm).normalize('NFD').replace(accents, '').normalize('NFC')
}

/** Returns the folded text and, for each of its positions including the end, the offset in the original text. */
export function foldWithOffsets(text: string): { text: string; offsets: number[] } {
  let folded = ''
  const offsets: number[] = []
  for (const { 0: character, index } of text.matchAll(characters)) {
    const part = fold(character)
    for (let unit = 0; unit < part.length; unit++) offsets.push(index)
    folded += part
  }
  return { text: folded, offsets: [...offsets, text.length] }
}
