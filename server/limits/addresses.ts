import { BlockList, isIPv4, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6')

/** Key of all clients whose address is unknown. Limits count them as one address that is not loopback. */
export const unknownAddress = 'unknown'

/**
 * Keys by which limits count clients. IPv6: the /64 (`address`), the /56 (`site`) and the /48 (`network`). IPv4: the
 * address and its /24 (`network`). The owner of an IPv6 address usually has its whole /64, and the owner of a tunnel
 * has a /48.
 */
export interface Networks {
  readonly address: string
  readonly site: string | null
  readonly network: string | null
}

export type NetworkScope = keyof Networks

export const scopesWidestFirst: readonly NetworkScope[] = ['network', 'site', 'address']

/**
 * Returns whether an address is loopback. Limits per address do not apply to it, because all clients behind a proxy on
 * the same host share it when TRUST_PROXY is not set.
 */
export function isLoopback(address: string): boolean {
  if (isIPv4(address)) return loopback.check(address, 'ipv4')
  return isIPv6(address) && loopback.check(address, 'ipv6')
}

/**
 * Returns the networks that limits apply to, or `null` for loopback. Call it once per connection or HTTP request, not
 * per message.
 */
export function limitedNetworks(address: string): Networks | null {
  return isLoopback(address) ? null : networksOf(address)
}

export function networksOf(address: string): Networks {
  if (isIPv4(address)) return ipv4Networks(address)
  if (!isIPv6(address)) return { address: unknownAddress, site: null, network: null }
  const groups = ipv6Groups(address)
  const isMappedIPv4 = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMappedIPv4) return ipv4Networks(groups.slice(6).flatMap(twoBytes).join('.'))
  const [a = 0, b = 0, c = 0, d = 0] = groups
  const network = [a, b, c].map(hex).join(':')
  return { address: `${network}:${hex(d)}`, site: `${network}:${hex(d >> 8)}xx/56`, network: `${network}/48` }
}

export function widestNetwork({ address, network }: Networks): string {
  return network ?? address
}

function ipv4Networks(address: string): Networks {
  return { address, site: null, network: `${address.slice(0, address.lastIndexOf('.'))}/24` }
}

function hex(group: number): string {
  return group.toString(16)
}

function ipv6Groups(address: string): number[] {
  const [plain = ''] = address.split('%')
  const [head = '', tail] = plain.split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => (group.includes('.') ? ipv4Groups(group) : [Number.parseInt(group, 16)]))
}

function ipv4Groups(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

function twoBytes(group: number): number[] {
  return [group >> 8, group & 255]
}
