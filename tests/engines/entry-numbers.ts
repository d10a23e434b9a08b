import type { EnginePage } from './engine.ts'
import { inkIn } from './ink.ts'
import { selectors } from './room-driver.ts'

/** Returns the indexes of the entries whose number is painted, read from a screenshot. All entries must be in view. */
export async function entriesWithNumber(page: EnginePage): Promise<number[]> {
  const areas = await page.evaluate((selector) => {
    const list = document.querySelector(selector)
    if (list === null || list.scrollHeight > list.clientHeight) throw new Error('the list does not show all entries')
    // Skip the edge of the list, which may show the focus outline.
    const start = list.getBoundingClientRect().left + 4
    const boxes = [...list.querySelectorAll('li[value]')].map((entry) => entry.getBoundingClientRect())
    return boxes.map(({ left, top, height }) => ({ left: start, top, width: left - start, height }))
  }, selectors.list)
  const ink = await inkIn(page, areas)
  return ink.flatMap((pixels, index) => (pixels > 0 ? [index] : []))
}
