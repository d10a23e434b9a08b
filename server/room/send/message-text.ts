// In JSON each of these grows to six bytes on every reader's line, and none is drawn. Tab and line breaks are drawn as
// blanks; a next line (U+0085) is one of them.
const uselessControl = /[\p{Cc}--[\t\n\r\u0085]]/v

// More marks on one letter than any script needs reach into the lines above and below. Spacing marks stand beside
// each other and are not counted; what is drawn as nothing may stand between the others.
const markPiles =
  /((?:[[\p{Mn}\p{Me}]--\p{Default_Ignorable_Code_Point}]\p{Default_Ignorable_Code_Point}*){4})(?:[[\p{Mn}\p{Me}]--\p{Default_Ignorable_Code_Point}]\p{Default_Ignorable_Code_Point}*)+/gv

export function hasForbiddenControl(text: string): boolean {
  return uselessControl.test(text)
}

/** A letter keeps four marks. */
export function limitCombiningMarks(text: string): string {
  return text.replace(markPiles, '$1')
}
