import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isLoopback, networksOf, unknownAddress } from '../limits/addresses.ts'
import { rejection } from './moderation-rejection.ts'

/** Minimum prefix length of a network that the operator can restrict. */
export const minPrefixBits = { ipv4: 8, ipv6: 16 }
/** Prefix length of the network that identifies a sender. */
const senderBits = { ipv4: 32, ipv6: 64 }
/** Prefix length of the range of IPv4-mapped addresses, `::ffff:0:0/96`. */
const mappedPrefixBits = 96
const mappedNetwork = '0:0:0:0'

type Family = 'ipv4' | 'ipv6'

const familyOf = (network: string): Family => (network.includes(':') ? 'ipv6' : 'ipv4')
/** Returns an address of a sender's network. */
const addressIn = (network: string) => (familyOf(network) === 'ipv6' ? `${network}::` : network)

/** Returns whether the network of a sender is loopback. */
export function isLoopbackNetwork(network: string): boolean {
  return network === networksOf('::1').address || isLoopback(network)
}

/**
 * Returns whether unrelated users may share the network, so that it does not identify a user. This is the case for the
 * unknown address, and for loopback: without TRUST_PROXY, all users behind a local proxy have a loopback address.
 */
export const isSharedNetwork = (network: string) => network === unknownAddress || isLoopbackNetwork(network)

/**
 * Throws if a target without an account may share its network with unrelated users: see `isSharedNetwork`. With
 * `allowsLoopback`, accepts loopback.
 */
export function rejectSharedNetwork(
  { accountId, network }: { accountId: string | null; network: string | null },
  allowsLoopback: boolean,
): void {
  if (accountId !== null || network === null) return
  if (network === unknownAddress)
    throw rejection('not_allowed', 'The address of this sender is unknown, as it may be for other users.')
  if (!allowsLoopback && isLoopbackNetwork(network))
    throw rejection(
      'not_allowed',
      'This sender is on the machine of the server, which other users may share. Only the operator can do this, with --loopback.',
    )
}

/**
 * Returns the network that an address or a CIDR range names: the network of one sender, or a wider range in CIDR form.
 * An IPv6 range narrower than /64 becomes its /64, and a range of IPv4-mapped addresses becomes an IPv4 range. Returns
 * `null` if the text names no network, one that is too wide, or one with both IPv4 and IPv6 addresses.
 */
export function parseNetwork(text: string): string | null {
  const [address = '', bitsText, ...rest] = text.trim().split('/')
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : null
  if (family === null || rest.length > 0) return null
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return null
  const sender = networksOf(address).address
  if (bitsText === undefined) return sender
  const bits = Number(bitsText)
  // The address is IPv4-mapped.
  if (family === 'ipv6' && isIPv4(sender)) return parseNetwork(`${sender}/${bits - mappedPrefixBits}`)
  if (bits < minPrefixBits[family] || bits > (family === 'ipv4' ? 32 : 128)) return null
  if (bits >= senderBits[family]) return sender
  const range = `${address}/${bits}`
  return rangeCheck(range)(mappedNetwork) ? null : range
}

/** Returns a function that returns whether a range in CIDR form contains the network of a sender. */
export function rangeCheck(range: string): (network: string) => boolean {
  const [address = '', bits] = range.split('/')
  const list = new BlockList()
  list.addSubnet(address, Number(bits), familyOf(address))
  return (network) => {
    const inside = addressIn(network)
    // Without this check, BlockList would find IPv4 addresses in an IPv6 range that contains the IPv4-mapped ones.
    if (familyOf(inside) !== familyOf(address)) return false
    return (isIPv4(inside) || isIPv6(inside)) && list.check(inside, familyOf(inside))
  }
}

export const isRange = (network: string) => network.includes('/')

/**
 * Returns the short form of a network for moderators. It usually distinguishes two restrictions, and does not identify a
 * user.
 */
export function shortNetwork(network: string): string {
  const separator = familyOf(network) === 'ipv6' ? ':' : '.'
  return `${network.split(separator).slice(0, 2).join(separator)}${separator}…`
}
