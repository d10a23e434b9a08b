const failOnLeak = Symbol.for('chat-room fails on listener leaks')

// Add the listener once, because several test files run in one process, one after the other.
if (!(failOnLeak in process)) {
  Object.assign(process, { [failOnLeak]: true })
  /** Fails the run when an emitter of a test, or of the server in its process, exceeds its maximum number of listeners. */
  process.on('warning', ({ name, stack }) => {
    if (name === 'MaxListenersExceededWarning') throw new Error(stack)
  })
}
