import { isLoopback } from '../../limits/addresses.ts'
import type { Report } from '../../observe/events.ts'

export interface RequestLike {
  headers: { origin?: string | undefined; host?: string | undefined }
}

/** Allows the same origin, loopback, the configured origins, and clients without an Origin header (not browsers). */
export function createOriginCheck(allowedOrigins: readonly string[], report: Report) {
  const allowed = new Set(allowedOrigins)

  function isAllowed(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || allowed.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    return url.host === host?.toLowerCase() || isLoopbackName(url.hostname)
  }

  return ({ headers: { origin, host } }: RequestLike): boolean => {
    if (isAllowed(origin, host)) return true
    report({ type: 'origin-rejected', origin: origin ?? '', host: host ?? '' })
    return false
  }
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

export type OriginCheck = ReturnType<typeof createOriginCheck>
