import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeHeapSnapshot } from 'node:v8'
import { isMainThread, type Worker } from 'node:worker_threads'

// The test preloads this module into a server. SIGUSR2 makes it write a heap snapshot of each thread to the folder
// HEAP_SNAPSHOTS.
if (isMainThread) {
  const folder = process.env['HEAP_SNAPSHOTS'] ?? ''
  const workers = new Set<Worker>()
  process.on('worker', (worker) => {
    workers.add(worker)
    worker.once('exit', () => workers.delete(worker))
  })
  const writeSnapshots = async () => {
    writeHeapSnapshot(join(folder, 'main'))
    for (const worker of workers) {
      const file = createWriteStream(join(folder, `thread ${worker.threadId}`))
      await pipeline(await worker.getHeapSnapshot(), file)
    }
    writeFileSync(join(folder, 'complete'), '')
  }
  process.on('SIGUSR2', () => void writeSnapshots())
}
