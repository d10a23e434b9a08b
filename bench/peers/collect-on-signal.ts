// Loaded into every Node server under test, ours too: memory per connection is compared after a full collection,
// not at whatever moment the collector last felt like it.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
