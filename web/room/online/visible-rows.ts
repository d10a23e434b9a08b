/** Maximum length of a list that is rendered completely. */
const maxUnvirtualizedRows = 100
const spareRows = 10

/** Returns the rows of equal height that a scrolled list renders. */
export function visibleRows(length: number, rowPx: number, scrollTopPx: number, viewportPx: number) {
  if (length <= maxUnvirtualizedRows) return { from: 0, to: length }
  const lastStart = Math.max(0, length - Math.ceil(viewportPx / rowPx))
  const first = Math.min(Math.floor(scrollTopPx / rowPx), lastStart)
  return {
    from: Math.max(0, first - spareRows),
    to: Math.min(length, first + Math.ceil(viewportPx / rowPx) + spareRows),
  }
}
