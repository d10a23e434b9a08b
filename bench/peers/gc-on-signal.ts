// Every Node server under test preloads this module, so that memory is compared after a full garbage collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
