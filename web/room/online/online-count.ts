/** A page opens two connections, so it counts twice in the list. */
export function shownOnlineCount(listLength: number): number {
  return Math.floor(listLength / 2)
}
