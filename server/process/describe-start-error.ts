import { StartError } from '../base/start-error.ts'

/** System calls that fail when the server cannot listen on `HOST` and `PORT`. */
const listenCalls = new Set(['listen', 'bind', 'getaddrinfo'])

/** Returns a message for an error that the operator can fix, and the stack of any other error. */
export function describeStartError(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, port, message, stack, syscall } = error as NodeJS.ErrnoException & { port?: number }
  // An error without a system call is a defect.
  if (syscall === undefined) return stack ?? String(error)
  if (!listenCalls.has(syscall))
    return `Cannot start: ${message}; check this path or address and the permissions of this user`
  return code === 'EADDRINUSE'
    ? `PORT: ${port} is already in use; stop the other program or set another port`
    : `PORT, HOST: cannot listen on this address (${message}); set an address of this machine and a port that this user may open`
}
