/**
 * Returns the number of open pages, which the panel's title shows. Each page has two connections, so the list contains
 * each page twice.
 */
export function shownOnlineCount(listLength: number): number {
  return Math.floor(listLength / 2)
}
