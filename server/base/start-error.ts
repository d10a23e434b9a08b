/** Error at the start that the operator can fix. The server prints its message without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
