/** Returns the number of pages in the panel's title. Each page opens two connections, so it is in the list twice. */
export function shownOnlineCount(listLength: number): number {
  return Math.floor(listLength / 2)
}
