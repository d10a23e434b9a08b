import type { Entry } from '../../connection/receive/message-buffer.ts'

/** Returns the date of a day, such as 20261118, in the user's language. */
function dayText(day: number): string {
  const date = new Date(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100)
  return date.toLocaleDateString(undefined, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })
}

/** Returns the date line above the first entry of a day; `undefined` for any other entry, and for the first of a list. */
export function dayLine(entry: Entry, previous: Entry | undefined): string | undefined {
  return previous === undefined || previous.day === entry.day ? undefined : dayText(entry.day)
}
