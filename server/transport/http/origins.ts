import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../limits/addresses.ts'
import type { Report } from '../../observe/events.ts'
import { isForwardedHttps } from './client-address.ts'

export interface RequestLike {
  headers: Pick<IncomingHttpHeaders, 'origin' | 'host'> & Record<string, string | string[] | undefined>
}

interface OriginSettings {
  /** Origins of the room itself. An empty list allows any host name. */
  publicOrigins: readonly string[]
  /** Further origins whose pages may use the room. */
  allowedOrigins: readonly string[]
}

/**
 * Decides which pages may use the room: those of the same origin, of loopback and of the configured origins. A request
 * without Origin is allowed, unless the browser marks it as a request of another site, such as an image or a script.
 */
export function createOrigins({ publicOrigins, allowedOrigins }: OriginSettings, report: Report) {
  const allowed = new Set([...publicOrigins, ...allowedOrigins])
  const publicHosts = new Set(publicOrigins.map((origin) => new URL(origin).hostname))

  /**
   * Returns whether this server accepts requests for a host name. With DNS rebinding, an attacker's host name resolves to
   * this server, and the browser treats the attacker's page as same-origin. An IP address cannot be rebound.
   */
  function isOwnHost(host: string | undefined): boolean {
    if (publicHosts.size === 0 || !host) return true
    const hostname = hostnameOf(host)
    return publicHosts.has(hostname) || isLoopbackName(hostname) || isIP(withoutBrackets(hostname)) !== 0
  }

  /** Returns whether a request may use the room, without a report. */
  function allows({ headers }: RequestLike): boolean {
    const { origin, host } = headers
    if (origin === undefined) return !isCrossSite(headers)
    if (allowed.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    if (isLoopbackName(url.hostname)) return true
    return url.protocol === protocolOf(headers) && isHostOf(url, host)
  }

  const isHostOf = (url: URL, host: string | undefined) => url.host === host?.toLowerCase() && isOwnHost(host)

  /** Returns whether a request may use the room. Reports a rejected request if it has an `Origin` header. */
  function isAllowedOrigin(request: RequestLike): boolean {
    if (allows(request)) return true
    const { origin, host = '' } = request.headers
    // Most images and scripts of other sites have no Origin, and the operator can do nothing about them.
    if (origin === undefined) return false
    const url = URL.parse(origin)
    const isOtherProtocol = url !== null && isHostOf(url, host)
    report({ type: isOtherProtocol ? 'origin-protocol-rejected' : 'origin-rejected', origin, host })
    return false
  }

  return {
    allows,
    isAllowedOrigin,
    /**
     * Returns whether a page of another site made this request without an action of the visitor, unless the origin is
     * allowed. Top-level navigations, such as a link that the visitor follows, do not count.
     */
    isForeign: (request: RequestLike): boolean =>
      isCrossSite(request.headers) &&
      request.headers['sec-fetch-dest'] !== 'document' &&
      (request.headers.origin === undefined || !allows(request)),
    isOwnHost,
  }
}

function isCrossSite(headers: RequestLike['headers']): boolean {
  return headers['sec-fetch-site'] === 'cross-site'
}

/**
 * Returns the protocol of the page. A header of an untrusted proxy counts as well: pages cannot set it, and a wrong value
 * only affects the sender.
 */
function protocolOf(headers: RequestLike['headers']): 'http:' | 'https:' {
  return isForwardedHttps(headers) ? 'https:' : 'http:'
}

/** Returns the name or address of a Host header, without its port. */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(withoutBrackets(hostname))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export type Origins = ReturnType<typeof createOrigins>
export type OriginCheck = Origins['isAllowedOrigin']
