import type { Settings } from './settings.ts'

/** Returns one line for each setting that is valid but probably a mistake. */
export function findSuspiciousSettings(settings: Settings): string[] {
  const { maxConnectionsPerIp, messagesPerSecond, messagesPerSecondPerIp, publicOrigins, trustProxy } = settings
  const lines: string[] = []
  if (maxConnectionsPerIp === 1) {
    lines.push(
      'MAX_CONNECTIONS_PER_IP: 1 is too few for a page, which has two connections; set at least 2, or 0 for no limit',
    )
  }
  if (messagesPerSecondPerIp !== 0 && messagesPerSecond > messagesPerSecondPerIp) {
    lines.push(
      'MESSAGES_PER_SECOND: higher than MESSAGES_PER_SECOND_PER_IP, so the limit of the address applies first; lower MESSAGES_PER_SECOND or raise MESSAGES_PER_SECOND_PER_IP',
    )
  }
  if (trustProxy.length > 0 && publicOrigins.length === 0) {
    lines.push(
      'PUBLIC_ORIGINS: not set behind a proxy, so pages of any host name that resolves to this server can use the room; set it to the address of the room, like https://chat.example.org',
    )
  }
  for (const range of trustProxy.filter((item) => item.endsWith('/0'))) {
    lines.push(`TRUST_PROXY: '${range}' lets every client choose the address that limits count; name only the proxy`)
  }
  return lines
}
