import type { Page } from '@playwright/test'

/** Returns the code points of `codes` that leave a canvas blank. Draws each code point into a cell of a grid. */
export function findUndrawn(page: Page, codes: readonly number[]): Promise<number[]> {
  return page.evaluate((all) => {
    const [cellPx, cellsPerLine] = [32, 64]
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = cellPx * cellsPerLine
    const context = canvas.getContext('2d', { willReadFrequently: true })
    if (context === null) throw new Error('no canvas')
    const positionOf = (index: number): [number, number] => [
      (index % cellsPerLine) * cellPx,
      Math.floor(index / cellsPerLine) * cellPx,
    ]
    const undrawn: number[] = []
    const perCanvas = cellsPerLine * cellsPerLine
    for (let start = 0; start < all.length; start += perCanvas) {
      const codes = all.slice(start, start + perCanvas)
      context.clearRect(0, 0, canvas.width, canvas.height)
      context.font = '16px system-ui, sans-serif'
      for (const [index, code] of codes.entries()) {
        const [x, y] = positionOf(index)
        context.save()
        context.beginPath()
        context.rect(x, y, cellPx, cellPx)
        context.clip()
        context.fillText(String.fromCodePoint(code), x + cellPx / 3, y + (cellPx * 2) / 3)
        context.restore()
      }
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
      const isDrawn = (index: number) => {
        const [left, top] = positionOf(index)
        for (let y = top; y < top + cellPx; y++) {
          for (let x = left; x < left + cellPx; x++) if ((data[(y * canvas.width + x) * 4 + 3] ?? 0) > 32) return true
        }
        return false
      }
      undrawn.push(...codes.filter((_, index) => !isDrawn(index)))
    }
    return undrawn
  }, codes)
}

/** Returns all code points from U+0020 on that match a pattern. */
export function codesMatching(pattern: RegExp): number[] {
  const codes: number[] = []
  for (let code = 0x20; code <= 0x10ffff; code++) if (pattern.test(String.fromCodePoint(code))) codes.push(code)
  return codes
}
