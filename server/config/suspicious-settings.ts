import type { Settings } from './settings.ts'

interface LogLine {
  fields: Record<string, unknown>
  text: string
}

/** Returns one log line for each setting that is valid but probably a mistake. */
export function findSuspiciousSettings(settings: Settings): LogLine[] {
  const { maxConnectionsPerIp, messagesPerSecond, messagesPerSecondPerIp, publicOrigins, trustProxy } = settings
  const lines: LogLine[] = []
  if (maxConnectionsPerIp === 1) {
    lines.push({
      fields: { maxConnectionsPerIp },
      text: 'suspicious setting: MAX_CONNECTIONS_PER_IP is too low for a page, which has two connections; set at least 2, or 0 for no limit',
    })
  }
  if (messagesPerSecondPerIp !== 0 && messagesPerSecond > messagesPerSecondPerIp) {
    lines.push({
      fields: { messagesPerSecond, messagesPerSecondPerIp },
      text: 'suspicious setting: MESSAGES_PER_SECOND is higher than MESSAGES_PER_SECOND_PER_IP, so the limit of the address applies first; lower MESSAGES_PER_SECOND or raise MESSAGES_PER_SECOND_PER_IP',
    })
  }
  if (trustProxy.length > 0 && publicOrigins.length === 0) {
    lines.push({
      fields: { trustProxy },
      text: 'suspicious setting: PUBLIC_ORIGINS is not set behind a proxy, so pages of any host name that resolves to this server can use the room; set it to the origin of the room, like https://chat.example.org',
    })
  }
  for (const range of trustProxy.filter((item) => item.endsWith('/0'))) {
    lines.push({
      fields: { range },
      text: 'suspicious setting: the range of TRUST_PROXY covers all IPv4 or all IPv6 addresses, so a client can forge the address that rate limits use; list only the proxy',
    })
  }
  return lines
}
