const accents = /[\u0300-\u036f]/g
const notAscii = /[^\0-\x7f]/
// A character with the marks that follow it.
const characters = /\P{M}\p{M}*|\p{M}+/gu

/**
 * Returns a text without accents. Marks of other scripts stay, because they make another letter. The text is composed
 * again, so that a syllable of Hangul is one character.
 */
export function fold(text: string): string {
  return notAscii.test(text) ? text.normalize('NFD').replace(accents, '').normalize('NFC') : text
}

/** Returns the folded text, and the offset in `text` of each of its positions, including the end. */
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
