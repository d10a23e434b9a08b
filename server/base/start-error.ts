/** An error at the start that the operator can fix. It is printed as one line, without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
