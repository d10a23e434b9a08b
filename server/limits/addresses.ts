import { BlockList, isIPv4, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6')

/** Limits per address never apply here: behind an unnamed proxy on the same host everybody would share one. */
export function isLoopback(address: string): boolean {
  if (isIPv4(address)) return loopback.check(address, 'ipv4')
  return isIPv6(address) && loopback.check(address, 'ipv6')
}

/**
 * What limits per address count by; `null` where none applies, on loopback. To be worked out once per connection or
 * call, not per message.
 */
export function limitKey(address: string): string | null {
  return isLoopback(address) ? null : addressKey(address)
}

/** Whoever has one IPv6 address has a whole /64 of them: that is what counts as one address. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address
  const groups = ipv6Groups(address)
  const isMappedIPv4 = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMappedIPv4) return groups.slice(6).flatMap(twoBytes).join('.')
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
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
