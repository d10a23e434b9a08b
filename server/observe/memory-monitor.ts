import { getHeapStatistics } from 'node:v8'

const lookEveryMs = 10_000
const nearlyFull = 0.9

export interface Heap {
  usedBytes: number
  limitBytes: number
}

function readHeap(): Heap {
  const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics()
  return { usedBytes, limitBytes }
}

/** V8 ends the process when its heap is full, without a line in the log: so it is told before. */
export function watchMemory(onNearlyFull: (heap: Heap) => void, read = readHeap) {
  const timer = setInterval(() => {
    const heap = read()
    if (heap.usedBytes > nearlyFull * heap.limitBytes) onNearlyFull(heap)
  }, lookEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}
