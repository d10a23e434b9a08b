import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type as systemType } from 'node:os'
import { spawnSync } from 'node:child_process'

export interface Machine {
  cpu: string
  cores: number
  memoryGiB: number
  system: string
  kernel: string
  node: string
  congestionControl: string
}

function cpuModel(): string {
  const named = cpus()[0]?.model.trim()
  if (named !== undefined && named !== '' && named !== 'unknown') return named
  const listed = spawnSync('lscpu', [], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout ?? ''
  return /Model name:\s+(.+)/.exec(listed)?.[1]?.trim() ?? process.arch
}

function readLine(path: string, pattern: RegExp): string {
  try {
    return pattern.exec(readFileSync(path, 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/** What the figures were measured on, without anything that names its owner. */
export function describeMachine(): Machine {
  return {
    cpu: `${cpuModel()} (${process.arch})`,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: readLine('/etc/os-release', /PRETTY_NAME="([^"]+)"/),
    kernel: `${systemType()} ${/^\d+\.\d+/.exec(release())?.[0] ?? release()}`,
    node: process.version,
    congestionControl: readLine('/proc/sys/net/ipv4/tcp_congestion_control', /(\w+)/),
  }
}
