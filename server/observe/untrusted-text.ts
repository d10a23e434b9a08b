const maxCharacters = 200

/**
 * Returns truncated text of a client for the log. Escapes characters that could control a terminal or imitate another
 * line. JSON escapes only the first 32 control characters.
 */
export function untrustedText(text: string): string {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return escapeControls(shown)
}

/** Returns the text with control and format characters, lone surrogates and line separators escaped. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
