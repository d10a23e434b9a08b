/** The specification asks for some errors to be on the console; nothing else writes there. */
export function logError(error: unknown) {
  console.error(error)
}
