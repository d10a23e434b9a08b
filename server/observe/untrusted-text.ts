const maxCharacters = 200

/**
 * What a stranger has sent, for the log: short, and without anything that a terminal obeys or that looks like another
 * line. JSON escapes only the first 32 control characters.
 */
export function untrustedText(text: string): string {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
