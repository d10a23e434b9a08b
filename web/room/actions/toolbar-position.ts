/** Vertical extent in pixels, relative to the top of the visible part of the list. */
export interface Extent {
  readonly top: number
  readonly bottom: number
}

interface Layout {
  /** Height of the toolbar. */
  readonly height: number
  /** Height of the visible part of the list. */
  readonly viewHeight: number
  readonly entry: Extent
  /** First line of the entry. */
  readonly firstLine: Extent
  /** Lines above entries that the toolbar must not cover: the unread divider, and the date of a new day. */
  readonly dividers: readonly Extent[]
}

/**
 * Returns the top of the toolbar of an entry. Tries the positions above the first line, above the entry, below the entry
 * and below the first line. If none of them is free, returns the first position, but not above the top of the view.
 */
export function toolbarTop({ height, viewHeight, entry, firstLine, dividers }: Layout): number {
  const isFree = (top: number) =>
    top >= 0 &&
    top + height <= viewHeight &&
    dividers.every((divider) => top + height <= divider.top || top >= divider.bottom)
  const above = firstLine.top - height
  return [above, entry.top - height, entry.bottom, firstLine.bottom].find(isFree) ?? Math.max(0, above)
}
