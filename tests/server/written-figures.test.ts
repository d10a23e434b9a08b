import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as limits from '../../contract/limits.ts'
import { ChatMessage } from '../../contract/messages.ts'
import { maxTokensPerAccount } from '../../server/accounts/account-store.ts'
import { listRate, loginRate, registrationAttemptRate } from '../../server/accounts/accounts.ts'
import * as loginLimits from '../../server/accounts/login-limits.ts'
import { maxIdleMs, maxUnreadBytes } from '../../server/fanout/guarded-writer.ts'
import { maxBodyChunks } from '../../server/http/body-chunks.ts'
import { maxRequestsPerTurn, maxWaitingRequests } from '../../server/http/request-turns.ts'
import { maxTcpConnections } from '../../server/http/tcp-connections.ts'
import { handshakeBurstPerConnection } from '../../server/limits/admission.ts'
import { requestRates } from '../../server/limits/request-budget.ts'
import { maxBuckets, networkShare } from '../../server/limits/network-buckets.ts'
import type { Rate } from '../../server/limits/token-bucket.ts'
import { flushWindowMs } from '../../server/room/flush-scheduler.ts'
import { maxRecentBytes } from '../../server/room/recent-messages.ts'
import { maxPageBytes } from '../../server/room/replay-pages.ts'
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
const rate = ({ perSecond, burst }: Rate) => `${perSecond * 60} a minute, burst ${burst}`

const { pingIntervalMs, pingTimeoutMs } = limits
const settings = readSettings({})
const { maxConnectionsPerIp } = settings
const tcpConnections = maxTcpConnections(maxConnectionsPerIp)
const otherConnections = tcpConnections - maxConnectionsPerIp
const { people, requests, bytes } = requestRates(maxConnectionsPerIp)
const everybody = `for each of ${maxConnectionsPerIp} + ${people - maxConnectionsPerIp} people`

test('DOCS-4 the README says how long what a client sends may be, and of which fields a message is', () => {
  const readme = read('README.md')
  expect(readme).toContain(
    `message ${count(limits.maxMessageCharacters)}, name ${limits.maxNameCharacters}, e-mail ${limits.maxEmailCharacters}; a password has at most ${count(limits.maxPasswordBytes)} bytes, a frame ${kib(limits.maxFrameBytes)}.`,
  )
  expect(readme).toContain(`| \`send_message\` | \`{ ${Object.keys(ChatMessage.properties).join(', ')} }\``)
  // Whatever else is stored: those who ask for nothing more are told the specified three.
  expect(readme).toContain('| `recive_message` | `{ username, message, createdTime }`')
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
  ['TCP connections, and requests in flight', `| ${tcpConnections} | ${tcpConnections} descriptors |`],
  [
    'HTTP requests of any kind',
    `${everybody} ${requests.burst / people} at once and ${requests.perSecond / people} a second`,
    `: ${count(requests.burst)}, then ${count(requests.perSecond)} a second;`,
  ],
  [
    'Bytes of answers over HTTP',
    `${kib(bytes.burst / people)} at once and ${kib(bytes.perSecond / people)} a second ${everybody}`,
    `: ${mib(bytes.burst)}, then ${mib(bytes.perSecond)} a second`,
    `| ${Math.round((bytes.perSecond * 8) / 1e6)} Mbit/s |`,
  ],
  [
    'Requests and upgrades that wait',
    `${maxRequestsPerTurn} in all are served in a turn`,
    `from ${maxWaitingRequests} that wait`,
  ],
  ['Handshakes', `burst ${maxConnectionsPerIp * handshakeBurstPerConnection} `],
  [
    'Messages sent',
    `connection: ${settings.messagesPerSecond} and `,
    `address: ${settings.messagesPerSecondPerIp} and `,
  ],
  ['Logins, right or wrong', rate(loginRate)],
  ['Registrations', rate(loginLimits.registrationRate), `their name ${rate(registrationAttemptRate)}`],
  ['Lists of users', rate(listRate)],
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
  expect(read('docs/bounds.md')).toContain(
    `\n${maxConnectionsPerIp} connections to the room and ${otherConnections} others`,
  )
  expect(read('SECURITY.md')).toContain(`| ${maxConnectionsPerIp} connections of one address`)
  const megabytes = (each: number) => Math.round((each * maxConnectionsPerIp) / 1e6)
  expect(read('docs/bounds.md').replace(/\s+/g, ' ')).toContain(
    `Of ${maxConnectionsPerIp} polling sessions instead, each has 130 KB of a payload and, when a whole flush finds them all waiting, a copy of its ${maxFlushBytes / 1_024} KB for ten seconds: ${megabytes(130_000)} + ${megabytes(maxFlushBytes)} MB,`,
  )
})

test('DOCS-4 what one address may hold adds up', () => {
  const [, table = ''] = /^\| part \| each \| together \|\n(.*?)\n\n/ms.exec(read('docs/bounds.md')) ?? []
  const parts = [...table.matchAll(/^\| (\w.*) \| (.+) \| ([\d.]+) MB \|$/gm)]
  expect(table).toContain(`| a page of replay, each at another place | ${maxPageBytes / 1_024} KB |`)
  let sum = 0
  for (const [, part = '', each = '', together] of parts) {
    sum += Number(together)
    if (!each.endsWith(' KB')) continue
    const kilobytes = each.split(' + ').reduce((total, figure) => total + Number.parseInt(figure, 10), 0)
    const count = part.includes('other connections') ? otherConnections : maxConnectionsPerIp
    expect(Number(together), part).toBe(Math.round((kilobytes * count) / 1_000))
  }
  expect(table).toContain(`**${Math.round(sum)} MB**`)
})

test('DOCS-4 SECURITY.md says how many failures are free, and how long the others wait', () => {
  const { perAddress, perNetwork, attackRate, failureRate, underAttack } = loginLimits
  const words: Record<number, string> = { 1: 'one', 5: 'five', 20: 'twenty' }
  const said = read('SECURITY.md').replace(/\s+/g, ' ')
  expect(said).toContain(
    `per account and address (${words[perAddress.freeFailures]} free, then ${seconds(perAddress.firstWaitMs)} doubling to ${perAddress.maxWaitMs / 60_000} min; ${failureRate.burst} failures an hour per address) and per account and network (${words[perNetwork.freeFailures]} free). After ${attackRate.burst} failures in an hour`,
  )
  expect(said).toContain(`has ${words[underAttack.freeFailures]} try, then waits a minute and longer`)
  expect(underAttack.firstWaitMs).toBe(60_000)
  expect(said).toContain(`| ${failureRate.burst} failures an hour per address |`)
})

test('DOCS-4 what is written about the flush window is what holds', () => {
  const window = `${flushWindowMs} ms`
  const scaling = read('docs/scaling.md')
  expect(scaling).toContain(`a busy one every ${window}`)
  expect(scaling).toContain(`in flushes of ${window} `)
  expect(scaling).toContain(`the full rate of ${Math.floor(1_000 / flushWindowMs)} reads a`)
  expect(read('docs/decisions/002-own-writes.md')).toContain(`The window is ${window} in a busy room`)
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
