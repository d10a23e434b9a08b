import { isLoopback } from '../limits/addresses.ts'

interface RequestLike {
  headers: { origin?: string | undefined; host?: string | undefined }
}

/** Same origin, loopback, the configured ones, and clients that send no Origin at all: they are no browsers. */
export function createOriginCheck(allowedOrigins: readonly string[]) {
  const allowed = new Set(allowedOrigins)
  return ({ headers: { origin, host } }: RequestLike): boolean => {
    if (origin === undefined || allowed.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    return url.host === host?.toLowerCase() || isLoopbackName(url.hostname)
  }
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

export type OriginCheck = ReturnType<typeof createOriginCheck>
