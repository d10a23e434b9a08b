// Control characters take up to six bytes each in JSON and are invisible. Tab and line breaks, including U+0085 (next
// line), are allowed because they are shown as white space.
const forbiddenControl = /[\p{Cc}--[\t\n\r\u0085]]/v

// More combining marks than any script needs overlap the lines above and below. Spacing marks are not counted, because
// they do not stack. Invisible characters between the marks do not interrupt the sequence.
const excessMarks =
  /((?:[[\p{Mn}\p{Me}]--\p{Default_Ignorable_Code_Point}]\p{Default_Ignorable_Code_Point}*){4})(?:[[\p{Mn}\p{Me}]--\p{Default_Ignorable_Code_Point}]\p{Default_Ignorable_Code_Point}*)+/gv

export function hasForbiddenControl(text: string): boolean {
  return forbiddenControl.test(text)
}

/** Replaces CRLF and CR with LF, so that all clients receive these line breaks in one form. */
export function normaliseLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** Returns the text with at most four combining marks in a row. */
export function limitCombiningMarks(text: string): string {
  return text.replace(excessMarks, '$1')
}
