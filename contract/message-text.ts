// White space, control and format characters (including zero-width ones), and characters without a visible glyph.
const blankText = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]*$/u

/** Returns whether a text has no visible character. Such a message counts as empty. */
export function isBlank(text: string): boolean {
  return blankText.test(text)
}
