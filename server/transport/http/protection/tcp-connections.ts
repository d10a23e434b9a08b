import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { limitedNetworks } from '../../../limits/addresses.ts'
import type { Report } from '../../../observe/events.ts'
import { createNetworkCounts } from '../../../limits/network-counts.ts'
import type { ClientAddress } from '../client-address.ts'
import type { ProtectionStep } from './protect-server.ts'

/**
 * Number of allowed TCP connections of an address per allowed connection to the room. Browsers open further connections
 * for pages and calls.
 */
const perRoomConnection = 2
const extraConnections = 64
/** File descriptors that the process needs for itself: databases, standard streams, the readiness check. */
export const reservedDescriptors = 128
/** Threshold of the maximum number of connections. Below it, the server warns at the start. */
const fewConnections = 128

/** Returns the maximum number of TCP connections, and of unanswered requests, of one address; 0 means no limit. */
export function maxTcpConnections(maxConnectionsPerIp: number): number {
  return maxConnectionsPerIp === 0 ? 0 : maxConnectionsPerIp * perRoomConnection + extraConnections
}

/** Returns the limit of open files (`ulimit -n`); `null` if it is unknown or unlimited. */
export function maxOpenFiles(): number | null {
  const limit = readLimits()
  if (limit !== null) return limit === 'unlimited' ? null : Number(limit)
  // Without `excludeNetwork`, the report would resolve the host names of peers. The types of Node lack the property.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } }
  const openFiles = userLimits?.open_files?.soft
  return typeof openFiles === 'number' ? openFiles : null
}

/**
 * Returns the limit of open files as text; `null` if the system has no file with the limits. Reading the file is much
 * faster than a report of the process.
 */
function readLimits(): string | null {
  try {
    return /^Max open files +(\d+|unlimited) /m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** Limits the number of all connections to the number of file descriptors that the process does not need for itself. */
export function limitAllTcpConnections(server: Server, report: Report): void {
  const openFiles = maxOpenFiles()
  if (openFiles === null) return
  server.maxConnections = Math.max(1, openFiles - reservedDescriptors)
  const { maxConnections: connections } = server
  if (connections < fewConnections) report({ type: 'few-file-descriptors', connections })
}

/**
 * Limits the TCP connections of each address and network, whatever they are for, because a slow connection uses
 * resources too. The connections of a trusted proxy are not counted, because many clients share them.
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
