/**
 * Maximum depth of JSON that clients send, except short texts. The deepest valid inputs, such as a message with a cursor
 * in its options, have three levels.
 */
export const maxJsonDepth = 8
/**
 * Maximum number of values in JSON that clients send, except short texts. Commas and opening brackets are counted. The
 * valid input with the most values is a removal of 100 messages.
 */
export const maxJsonValues = 256
/**
 * Maximum length of a text that is not checked. Shorter texts are cheap to parse, and most messages are shorter.
 */
const maxUncheckedCharacters = 512

const quote = '"'
const quoteCode = 0x22
const commaCode = 0x2c
const backslashCode = 0x5c
/** Bit by which the codes of square and curly brackets differ. */
const curlyBit = 0x20
const openingCode = 0x7b
const closingCode = 0x7d

/**
 * Returns whether a JSON text is nested too deeply or has too many values to be parsed. Call it before `JSON.parse`, which
 * takes milliseconds for thousands of brackets. Characters in strings do not count. The text need not be valid JSON.
 */
export function isTooComplex(text: string, from = 0): boolean {
  if (text.length <= maxUncheckedCharacters) return false
  let depth = 0
  let values = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quoteCode) {
      at = endOfString(text, at)
      if (at < 0) return false
    } else if ((code | curlyBit) === openingCode) {
      depth++
      values++
    } else if (code === commaCode) values++
    else if ((code | curlyBit) === closingCode) depth--
    if (depth > maxJsonDepth || values > maxJsonValues) return true
  }
  return false
}

/** Returns the index of the quote that ends the string starting at `start`; -1 if there is none. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf(quote, start + 1)
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf(quote, at + 1)
  return at
}

/** Returns whether an odd number of backslashes precedes the index. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslashCode) before--
  return (at - before) % 2 === 0
}
