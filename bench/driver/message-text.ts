/** Character that precedes the id in every message text. The protocols of the peers do not use this character elsewhere. */
const marker = '~'
export const markerByte = 126
const idDigits = 8
export const maxMessageId = 10 ** idDigits - 1

const filler = ' the quick brown fox jumps over the lazy dog and rests at home'

/**
 * Returns a text of exactly `characters` characters that starts with the marker and the message id. `characters` is at
 * least 9.
 */
export function messageText(id: number, characters: number): string {
  const head = marker + String(id).padStart(idDigits, '0')
  return (head + filler.repeat(Math.ceil(characters / filler.length))).slice(0, characters)
}

/** Parses the id that follows the marker at index `at`. */
export function readId(buffer: Uint8Array, at: number): number {
  return (
    (buffer[at + 1]! & 15) * 10_000_000 +
    (buffer[at + 2]! & 15) * 1_000_000 +
    (buffer[at + 3]! & 15) * 100_000 +
    (buffer[at + 4]! & 15) * 10_000 +
    (buffer[at + 5]! & 15) * 1_000 +
    (buffer[at + 6]! & 15) * 100 +
    (buffer[at + 7]! & 15) * 10 +
    (buffer[at + 8]! & 15)
  )
}
