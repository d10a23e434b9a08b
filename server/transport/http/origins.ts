import type { Logger } from 'pino'
import { isLoopback } from '../../limits/addresses.ts'
import { createSparseWarning } from '../../observe/throttled-warning.ts'
import { strangerText } from '../../observe/untrusted-text.ts'

interface RequestLike {
  headers: { origin?: string | undefined; host?: string | undefined }
}

/** Same origin, loopback, the configured ones, and clients that send no Origin at all: they are no browsers. */
export function createOriginCheck(
  allowedOrigins: readonly string[],
  onRefused: (refused: { origin: string; host: string | undefined }) => void = () => undefined,
) {
  const allowed = new Set(allowedOrigins)

  function isAllowed(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || allowed.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    return url.host === host?.toLowerCase() || isLoopbackName(url.hostname)
  }

  return ({ headers: { origin, host } }: RequestLike): boolean => {
    if (isAllowed(origin, host)) return true
    onRefused({ origin: origin ?? '', host })
    return false
  }
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

export type OriginCheck = ReturnType<typeof createOriginCheck>

export function createOriginWarning(log: Logger) {
  return createSparseWarning(({ origin, host = '' }: { origin: string; host: string | undefined }, refused: number) =>
    log.warn(
      { origin: strangerText(origin), host: strangerText(host), refused },
      'a page of another origin was refused; if it is yours, name it in ALLOWED_ORIGINS, or let your proxy pass the Host on (nginx: proxy_set_header Host $http_host;)',
    ),
  )
}
