// `launchNode` preloads this module into the server under test, so that the bench compares memory after a full garbage collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
