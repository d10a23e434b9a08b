import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { Report } from '../../observe/events.ts'
import { limitedNetworks, type Networks, unknownAddress } from '../../limits/addresses.ts'

type RequestLike = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

/** Maximum number of header entries that are read, from the right. No real chain of proxies is longer. */
const maxProxies = 16

/**
 * Creates the lookup of client addresses. It trusts `X-Forwarded-For` and `X-Forwarded-Proto` only if a proxy in
 * `trustProxy` sent them. It reads `X-Forwarded-For` from the right up to the first address that is not such a proxy.
 * The client may have written everything to the left of it.
 */
export function createClientAddress(trustProxy: readonly string[], report: Report) {
  const proxies = new BlockList()
  for (const range of trustProxy) {
    const [address = '', bits] = range.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  let hasWarned = false

  function isProxy(address: string): boolean {
    if (isIPv4(address)) return proxies.check(address, 'ipv4')
    return isIPv6(address) && proxies.check(address, 'ipv6')
  }

  function isTrustedPeer({ headers, socket }: RequestLike): boolean {
    const peer = socket.remoteAddress ?? ''
    if (isProxy(peer)) return true
    // A socket that was reset has no address: a warning could not name the proxy.
    if (headers['x-forwarded-for'] !== undefined && !hasWarned && peer !== '') {
      hasWarned = true
      report({ type: 'forwarded-for-ignored', peer })
    }
    return false
  }

  /**
   * Returns the client's address; `unknownAddress` if the socket was reset, or if a proxy sends an entry that is not an
   * address, for example `unknown`. The proxy's own address would be wrong: it may be loopback, which has no limits.
   */
  function addressOf(request: RequestLike): string {
    const peer = request.socket.remoteAddress ?? unknownAddress
    const header = request.headers['x-forwarded-for']
    if (!isTrustedPeer(request) || header === undefined) return peer
    let address = peer
    for (const entry of [header].flat().join().split(',').slice(-maxProxies).toReversed()) {
      const next = parseAddress(entry)
      if (next === null) return unknownAddress
      address = next
      if (!isProxy(address)) break
    }
    return address
  }

  const cache = new WeakMap<RequestLike, Networks | null>()

  /** Returns the networks by which limits count a request. Caches them, because every request needs them several times. */
  function networksOf(request: RequestLike): Networks | null {
    const cached = cache.get(request)
    if (cached !== undefined) return cached
    const networks = limitedNetworks(addressOf(request))
    cache.set(request, networks)
    return networks
  }

  /** Returns whether the client's connection to a trusted proxy uses TLS. */
  function isSecure(request: RequestLike): boolean {
    return isForwardedHttps(request.headers) && isTrustedPeer(request)
  }

  return { addressOf, networksOf, isSecure, isProxy }
}

export type ClientAddress = ReturnType<typeof createClientAddress>

/**
 * Returns whether the nearest proxy reports in `X-Forwarded-Proto` that its client used TLS. The caller decides whether
 * to trust the proxy.
 */
export function isForwardedHttps(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const protocol = [headers['x-forwarded-proto'] ?? []].flat().join().split(',').at(-1)
  return protocol?.trim().toLowerCase() === 'https'
}

/** Returns the address without a port, which some proxies add; `null` if it is not an address. */
function parseAddress(entry: string): string | null {
  const text = entry.trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = bracketed ?? withPort ?? text
  return isIPv4(address) || isIPv6(address) ? address : null
}
