/** The part of the field that was selected before it changed; a caret is a selection of nothing. */
export interface SelectionRange {
  readonly start: number
  readonly end: number
}

export interface FieldChange {
  /** What is new in the field. */
  readonly draft: string
  /** Somebody changed in place what stood there, rather than beginning something else. */
  readonly isRevision: boolean
}

/**
 * What somebody does to a field in which a message still stands that Send was pressed on. What is typed behind
 * or before it is a text of its own; what is written over all of it too; anything else is a new wording of it.
 */
export function classifyFieldChange(shown: string, selected: SelectionRange | null, next: string): FieldChange {
  const isAtEnd = selected?.start === shown.length
  if (isAtEnd && next.startsWith(shown)) return { draft: next.slice(shown.length), isRevision: false }
  const isAtStart = selected?.end === 0
  if (isAtStart && next.endsWith(shown)) return { draft: next.slice(0, -shown.length), isRevision: false }
  const isAll = selected === null || (selected.start === 0 && selected.end === shown.length)
  return { draft: next, isRevision: !isAll }
}

/** The texts that were sent by presses before the script was there, told apart by what the field held at each. */
export function splitEarlySubmits(fieldTexts: readonly string[]): string[] {
  return fieldTexts.map((text, index) => {
    const before = fieldTexts[index - 1] ?? ''
    return text.startsWith(before) ? text.slice(before.length) : text
  })
}
