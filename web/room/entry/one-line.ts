// Control characters except tab, and U+2028 and U+2029. They include every character that some program treats as the
// end of a line.
const lineSeparators = /(?:[^\P{Cc}\t]|[\u2028\u2029])+/gu

/**
 * Returns a text as one line. Text that leaves the list, such as a copy or an announcement, has one line per entry.
 * Otherwise the second line of a message could look like the entry of another user.
 */
export function oneLine(text: string): string {
  return text.replace(lineSeparators, ' ')
}
