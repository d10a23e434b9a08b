// Every Node server under test preloads this module, so that the bench compares memory after a full garbage collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
