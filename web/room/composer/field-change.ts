/** Selection in the field before a change. A caret is an empty selection. */
export interface SelectionRange {
  readonly start: number
  readonly end: number
}

export interface FieldChange {
  /** New text of the field. */
  readonly draft: string
  /** Whether the user edited the shown message instead of starting a new one. */
  readonly isRevision: boolean
}

/**
 * Classifies a change to a field that still shows a submitted message. Text typed in place of the whole submitted
 * message is a new message, and so is an empty field. With `startsAtEdges`, text typed at the start or the end of the
 * submitted message is a new message, too. Any other change is a revision of the shown message.
 */
export function classifyFieldChange(
  shownText: string,
  selection: SelectionRange | null,
  next: string,
  startsAtEdges: boolean,
): FieldChange {
  const isAtEnd = startsAtEdges && selection?.start === shownText.length
  if (isAtEnd && next.startsWith(shownText)) return { draft: next.slice(shownText.length), isRevision: false }
  const isAtStart = startsAtEdges && selection?.end === 0
  if (isAtStart && next.endsWith(shownText)) return { draft: next.slice(0, -shownText.length), isRevision: false }
  const isAll = selection === null || (selection.start === 0 && selection.end === shownText.length)
  return { draft: next, isRevision: !isAll && next !== '' }
}

/**
 * Returns the text of each submit that happened before the script loaded, and the draft after the last submit.
 * `fieldTexts` are the texts of the field at each submit and now. The field was not cleared after a submit, so each text
 * may start with the previous text.
 */
export function splitEarlySubmits(fieldTexts: readonly string[]): string[] {
  return fieldTexts.map((text, index) => {
    const previous = fieldTexts[index - 1] ?? ''
    return text.startsWith(previous) ? text.slice(previous.length) : text
  })
}
