import { readdirSync, readFileSync } from 'node:fs'

const clockTicksPerSecond = 100

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process or thread has exited since the listing, or the kernel does not have this file.
    return null
  }
}

function descendants(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? ''
  const ids = children === '' ? [] : children.split(' ').map(Number)
  return [pid, ...ids.flatMap(descendants)]
}

function preciseCpuMs(pid: number): number {
  let totalNs = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      totalNs += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0)
    }
  } catch {
    return 0
  }
  return totalNs / 1e6
}

function coarseCpuMs(pid: number): number {
  const fields = read(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ')
  if (fields === undefined) return 0
  const ticks = Number(fields[11]) + Number(fields[12])
  return (ticks * 1_000) / clockTicksPerSecond
}

/**
 * Returns the CPU time of a process with all threads and descendants. Prefers `schedstat`, which has nanoseconds but
 * is missing in some kernels; `stat` has steps of 10 ms, too coarse for an idle room.
 */
export function cpuMs(pid: number): number {
  let total = 0
  for (const id of descendants(pid)) {
    const precise = preciseCpuMs(id)
    total += precise > 0 ? precise : coarseCpuMs(id)
  }
  return total
}

/** Returns the resident memory of a process and its descendants. */
export function residentBytes(pid: number): number {
  let total = 0
  for (const id of descendants(pid)) {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(read(`/proc/${id}/status`) ?? '')?.[1]
    total += Number(kilobytes ?? 0) * 1_024
  }
  return total
}

/** Returns the busy CPU time of the machine since it started, including interrupts and stolen time. */
export function machineCpuMs(): number {
  const fields = read('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = fields
  return ((user + nice + system + irq + softIrq + steal) * 1_000) / clockTicksPerSecond
}
