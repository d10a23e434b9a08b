/** Error at the start that the operator can fix. The server prints it as one line, without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
