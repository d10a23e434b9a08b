import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as limits from '../../contract/limits.ts'
import { ChatMessage } from '../../contract/messages.ts'
import { maxTokensPerAccount } from '../../server/accounts/account-store.ts'
import { maxIdleMs, maxUnreadBytes } from '../../server/fanout/guarded-writer.ts'
import { maxBodyChunks } from '../../server/http/body-chunks.ts'
import { maxTcpConnections } from '../../server/http/tcp-connections.ts'
import { handshakeBurstPerConnection } from '../../server/limits/admission.ts'
import { maxBuckets, networkShare } from '../../server/limits/network-buckets.ts'
import { maxRecentBytes } from '../../server/room/recent-messages.ts'
import { maxFlushBytes, maxQueuedBytes } from '../../server/room/send-queue.ts'
import { readSettings } from '../../server/settings.ts'
import { maxWaitingCharacters } from '../../server/sockets/bounded-decoder.ts'
import { maxPacketsPerPayload } from '../../server/sockets/polling-payload.ts'
import { maxFragments } from '../../server/sockets/web-socket-engine.ts'
import { maxUnansweredCalls } from '../../server/sqlite/storage-thread.ts'
import { maxPressed } from '../../web/connection/sending/sender.ts'
import { projectRoot } from '../support/project-root.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const count = (figure: number) => figure.toLocaleString('en')
const seconds = (ms: number) => `${ms / 1_000} s`
const kib = (bytes: number) => `${bytes / 1_024} KiB`
const mib = (bytes: number) => `${bytes / 1_024 ** 2} MiB`

const { pingIntervalMs, pingTimeoutMs } = limits
const settings = readSettings({})
const { maxConnectionsPerIp } = settings

test('DOCS-4 the README says how long what a client sends may be, and of which fields a message is', () => {
  const readme = read('README.md')
  expect(readme).toContain(
    `message ${count(limits.maxMessageCharacters)}, name ${limits.maxNameCharacters}, e-mail ${limits.maxEmailCharacters}; a password has at most ${count(limits.maxPasswordBytes)} bytes, a frame ${kib(limits.maxFrameBytes)}.`,
  )
  const fields = `\`{ ${Object.keys(ChatMessage.properties).join(', ')} }\``
  for (const event of ['send_message', 'recive_message']) expect(readme).toContain(`| \`${event}\` | ${fields}`)
})

/** What begins a line of docs/bounds.md, and what has to stand in it. */
const bounds: [line: string, ...figures: string[]][] = [
  ['Body of a call', `${kib(limits.maxHttpBodyBytes)} in ${maxBodyChunks} pieces`],
  [
    'Payload of a polling request',
    `${kib(limits.maxFrameBytes)} in ${maxBodyChunks} pieces and ${maxPacketsPerPayload} packets`,
  ],
  [
    'WebSocket message under way',
    `${kib(limits.maxFrameBytes)} in ${maxFragments} fragments`,
    `${seconds(pingIntervalMs + pingTimeoutMs)}, because no heartbeat`,
  ],
  ['Packet that waits', `${count(maxWaitingCharacters)} characters`],
  ['Live messages that are not read', mib(maxUnreadBytes), `${seconds(maxIdleMs)} without progress`],
  [
    'Connections to the room',
    `${maxConnectionsPerIp} (\`MAX_CONNECTIONS_PER_IP\`)`,
    `${count(maxConnectionsPerIp * networkShare.site)} per /56`,
    `${count(maxConnectionsPerIp * networkShare.network)} per /48 or /24`,
  ],
  ['TCP connections, and requests in flight', `| ${maxTcpConnections(maxConnectionsPerIp)} | `],
  ['HTTP requests of any kind', `for each of ${maxConnectionsPerIp} + `],
  ['Bytes of answers over HTTP', `for each of ${maxConnectionsPerIp} + `],
  ['Handshakes', `burst ${maxConnectionsPerIp * handshakeBurstPerConnection} `],
  [
    'Messages sent',
    `connection: ${settings.messagesPerSecond} and `,
    `address: ${settings.messagesPerSecondPerIp} and `,
  ],
  ['Tokens of an account', `| ${maxTokensPerAccount}, `],
  ['Rates per address and network', `(${tablesOfRates()} tables)`, `${count(maxBuckets)} entries`],
  ['Messages waiting to be stored', `| ${mib(maxQueuedBytes)}, `],
  ['A flush', `| ${kib(maxFlushBytes)} | ${kib(maxFlushBytes)} |`],
  ['Newest messages in memory', `| ${mib(maxRecentBytes)}, `],
  ['Calls to a storage thread', `${count(maxUnansweredCalls)} unanswered`],
  ['Messages on the disk', `${settings.retentionHours} hours, ${count(settings.retentionMessages)} `],
  ['Messages that wait to be sent', `| ${maxPressed} |`],
]

function tablesOfRates(): number {
  const sources = globSync('server/**/*.ts', { cwd: projectRoot }).filter((file) => !file.endsWith('.test.ts'))
  const made = sources.flatMap((file) => read(file).match(/(?<!function )\bcreateNetworkBuckets\(/g) ?? [])
  return made.length
}

test.each(bounds)('DOCS-4 %s: docs/bounds.md says what holds', (line, ...figures) => {
  const said = read('docs/bounds.md')
    .split('\n')
    .find((text) => text.startsWith(`| ${line}`))
  for (const figure of figures) expect(said).toContain(figure)
})

test('DOCS-4 the largest body, frame and payload are the same for writers of clients and in the promises', () => {
  const { maxHttpBodyBytes, maxFrameBytes } = limits
  expect(read('SECURITY.md')).toContain(`Body ${kib(maxHttpBodyBytes)}, frame ${kib(maxFrameBytes)},`)
  expect(read('docs/clients.md')).toContain(
    `At most ${maxPacketsPerPayload} packets in one polling payload, ${kib(maxFrameBytes)} in one frame`,
  )
})

test('DOCS-4 what one address may hold is summed up for as many connections as it may have', () => {
  const others = maxTcpConnections(maxConnectionsPerIp) - maxConnectionsPerIp
  expect(read('docs/bounds.md')).toContain(`\n${maxConnectionsPerIp} connections to the room and ${others} others`)
  expect(read('SECURITY.md')).toContain(`| ${maxConnectionsPerIp} connections of one address`)
})

const pinged = `pinged every ${seconds(pingIntervalMs)} and given ${seconds(pingTimeoutMs)} to answer`

test('DOCS-4 the guides name the pings that hold', () => {
  const clients = read('docs/clients.md')
  expect(clients).toContain(`pings every ${seconds(pingIntervalMs)} and waits ${seconds(pingTimeoutMs)} for`)
  expect(clients).toContain(`longer than these ${seconds(pingIntervalMs + pingTimeoutMs)}`)
  const operating = read('docs/operating.md')
  expect(operating).toContain(pinged)
  const [, advised] = /Time-outs above (\d+) s/.exec(operating) ?? []
  expect(Number(advised) * 1_000).toBeGreaterThan(pingIntervalMs + pingTimeoutMs)
})

test.each(['deploy/nginx.conf', 'deploy/nginx-cluster.conf', 'deploy/haproxy.cfg'])(
  'DOCS-4 %s names the pings that hold, and its time-outs outlast them',
  (file) => {
    const [, behind = ''] = read(file).split(pinged)
    const [, lines = ''] = /^.*\n((?:.*timeout.*\n)+)/.exec(behind) ?? []
    const timeouts = [...lines.matchAll(/timeout(?: client| server| tunnel)? (\d+)s/g)]
    expect(timeouts.length).toBeGreaterThan(1)
    for (const [line, given] of timeouts) {
      expect(Number(given) * 1_000, line).toBeGreaterThan(pingIntervalMs + pingTimeoutMs)
    }
  },
)
