// White space, control and format characters (zero-width ones among them), and what is drawn as an empty place.
const blankText = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]*$/u

/** Whether there is nothing to see in a text: such a message counts as empty. */
export function isBlank(text: string): boolean {
  return blankText.test(text)
}
