// Preloaded into every Node server under test, so that memory is compared after a full garbage collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
