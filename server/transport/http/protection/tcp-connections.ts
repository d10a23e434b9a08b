import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { limitedNetworks } from '../../../limits/addresses.ts'
import type { Report } from '../../../observe/events.ts'
import { createNetworkCounts } from '../../../limits/network-counts.ts'
import type { ClientAddress } from '../client-address.ts'
import type { ProtectionStep } from './protect-server.ts'

/** A browser opens some for pages and calls beside those of the room; the rest of them only wait. */
const perRoomConnection = 2
const besides = 64
/** Descriptors that the process needs for itself: the database, its log, standard streams, a probe's file. */
export const reservedDescriptors = 128
/** A room for fewer is hardly what somebody wanted. */
const fewConnections = 128

/** How many TCP connections, or requests that are not yet answered, one address may have; 0 means no limit. */
export function maxTcpConnections(maxConnectionsPerIp: number): number {
  return maxConnectionsPerIp === 0 ? 0 : maxConnectionsPerIp * perRoomConnection + besides
}

/** How many descriptors the system gives the process (`ulimit -n`); `null` where it does not say, or sets no limit. */
export function maxOpenFiles(): number | null {
  const told = readLimits()
  if (told !== null) return told === 'unlimited' ? null : Number(told)
  // Else the report would look up the names of its peers; the types do not know it yet.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } }
  const openFiles = userLimits?.open_files?.soft
  return typeof openFiles === 'number' ? openFiles : null
}

/** Where the system has it in a file: a report is about the whole process, and a start would wait for it. */
function readLimits(): string | null {
  try {
    return /^Max open files +(\d+|unlimited) /m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** Limits all connections to the file descriptors of the process, less those that the database needs. */
export function limitAllTcpConnections(server: Server, report: Report): void {
  const openFiles = maxOpenFiles()
  if (openFiles === null) return
  server.maxConnections = Math.max(1, openFiles - reservedDescriptors)
  const { maxConnections: connections } = server
  if (connections < fewConnections) report({ type: 'few-file-descriptors', connections })
}

/**
 * Limits the TCP connections of one address and of one network, whatever they are for: slow connections cost little, but
 * not nothing. The connections of a trusted proxy are not counted, because they belong to many clients.
 */
export function limitTcpConnections(
  maxConnectionsPerIp: number,
  isProxy: ClientAddress['isProxy'],
  report: Report,
): ProtectionStep {
  const held = createNetworkCounts(maxTcpConnections(maxConnectionsPerIp))
  return {
    onConnection(socket) {
      const address = socket.remoteAddress ?? ''
      if (isProxy(address)) return
      const networks = limitedNetworks(address)
      if (held.isFull(networks)) {
        report({ type: 'request-rejected', reason: 'tcp_per_address' })
        socket.destroy()
        return
      }
      held.add(networks)
      socket.once('close', () => held.remove(networks))
    },
  }
}
