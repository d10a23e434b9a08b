/** Fails the run when a test, or the server in its process, adds listeners to an emitter without removing them. */
process.on('warning', ({ name, stack }) => {
  if (name === 'MaxListenersExceededWarning') throw new Error(stack)
})
