import { getHeapStatistics } from 'node:v8'
import type { Report } from './events.ts'

const checkEveryMs = 10_000
const nearlyFull = 0.9

interface Heap {
  usedBytes: number
  limitBytes: number
}

function readHeap(): Heap {
  const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics()
  return { usedBytes, limitBytes }
}

/** Reports a heap that is nearly full. V8 ends the process without a log line when the heap is full. */
export function monitorMemory(report: Report, read = readHeap): { stop: () => void } {
  const timer = setInterval(() => {
    const heap = read()
    if (heap.usedBytes > nearlyFull * heap.limitBytes) report({ type: 'heap-nearly-full', ...heap })
  }, checkEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}
