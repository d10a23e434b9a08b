import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { Report } from '../../observe/events.ts'
import { limitedNetworks, type Networks, unknownAddress } from '../../limits/addresses.ts'

type RequestLike = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }

/** More proxies than this stand before nobody; what lies further left in the header was made up. */
const maxProxies = 16

/**
 * Where a request really comes from. `X-Forwarded-For` and `X-Forwarded-Proto` are believed from the named proxies only,
 * read from the right: whatever stands left of the first address that is no such proxy, the client may have written.
 */
export function createClientAddress(trustProxy: readonly string[], report: Report) {
  const proxies = new BlockList()
  for (const range of trustProxy) {
    const [address = '', bits] = range.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  let warned = false

  function isProxy(address: string): boolean {
    if (isIPv4(address)) return proxies.check(address, 'ipv4')
    return isIPv6(address) && proxies.check(address, 'ipv6')
  }

  function trustedPeer({ headers, socket }: RequestLike): boolean {
    const peer = socket.remoteAddress ?? ''
    if (isProxy(peer)) return true
    // A socket that was reset has no address any more: that names nobody's proxy.
    if (headers['x-forwarded-for'] !== undefined && !warned && peer !== '') {
      warned = true
      report({ type: 'forwarded-for-ignored', peer })
    }
    return false
  }

  /** A proxy that speaks for somebody whom it cannot name must not lend its own address, which may be loopback. */
  function addressOf(request: RequestLike): string {
    const peer = request.socket.remoteAddress ?? unknownAddress
    const header = request.headers['x-forwarded-for']
    if (!trustedPeer(request) || header === undefined) return peer
    let address = peer
    for (const entry of [header].flat().join().split(',').slice(-maxProxies).toReversed()) {
      const next = addressIn(entry)
      if (next === null) return unknownAddress
      address = next
      if (!isProxy(address)) break
    }
    return address
  }

  const known = new WeakMap<RequestLike, Networks | null>()

  /** What limits count a request by. It is asked for several times, and takes some reading. */
  function networksOf(request: RequestLike): Networks | null {
    const before = known.get(request)
    if (before !== undefined) return before
    const networks = limitedNetworks(addressOf(request))
    known.set(request, networks)
    return networks
  }

  /** Whether the client's own connection is on TLS, as far as a proxy that we trust knows. */
  function isSecure(request: RequestLike): boolean {
    const protocol = [request.headers['x-forwarded-proto'] ?? []].flat().join().split(',').at(-1)
    return protocol?.trim().toLowerCase() === 'https' && trustedPeer(request)
  }

  return { addressOf, networksOf, isSecure, isProxy }
}

export type ClientAddress = ReturnType<typeof createClientAddress>

/** An address, also with a port, as some proxies write it; `null` for anything else. */
function addressIn(entry: string): string | null {
  const text = entry.trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = bracketed ?? withPort ?? text
  return isIPv4(address) || isIPv6(address) ? address : null
}
