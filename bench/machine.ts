import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type as systemType } from 'node:os'
import { spawnSync } from 'node:child_process'

export interface Machine {
  cpu: string
  architecture: string
  cores: number
  memoryGiB: number
  system: string
  kernel: string
  node: string
  congestionControl: string
}

function cpuModel(): string {
  const model = cpus()[0]?.model.trim()
  if (model !== undefined && model !== '' && model !== 'unknown') return model
  const lscpu = spawnSync('lscpu', [], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout ?? ''
  return /Model name:\s+(.+)/.exec(lscpu)?.[1]?.trim() ?? 'unknown CPU'
}

function readLine(path: string, pattern: RegExp): string {
  try {
    return pattern.exec(readFileSync(path, 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/** Returns CPU model, number of cores and architecture. */
export function machineSummary({ cpu, cores, architecture }: Machine): string {
  return `${cpu}, ${cores} core${cores === 1 ? '' : 's'}, ${architecture}`
}

/** Describes this machine without its host name or other private data. */
export function describeMachine(): Machine {
  return {
    cpu: cpuModel(),
    architecture: process.arch,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: readLine('/etc/os-release', /PRETTY_NAME="([^"]+)"/),
    kernel: `${systemType()} ${/^\d+\.\d+/.exec(release())?.[0] ?? release()}`,
    node: process.version,
    congestionControl: readLine('/proc/sys/net/ipv4/tcp_congestion_control', /(\w+)/),
  }
}
