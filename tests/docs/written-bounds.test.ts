import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as limits from '../../contract/limits.ts'
import { maxTokensPerAccount } from '../../server/accounts/account-store.ts'
import { listRate, loginRate, registrationAttemptRate } from '../../server/accounts/accounts.ts'
import { maxWaiting } from '../../server/accounts/attempts-at-once.ts'
import { maxRemembered as maxFailures } from '../../server/accounts/failures.ts'
import { registrationRate } from '../../server/accounts/login-limits.ts'
import { maxKnown } from '../../server/accounts/login-throttle.ts'
import * as passwords from '../../server/accounts/passwords.ts'
import { maxLedgerEntries } from '../../server/accounts/redis/ledger-scripts.ts'
import { maxRemembered as maxTokens } from '../../server/accounts/sessions.ts'
import * as userList from '../../server/accounts/user-list.ts'
import { maxOrders } from '../../server/backing/redis-orders.ts'
import { maxIdleMs, maxUnreadBytes } from '../../server/fanout/guarded-writer.ts'
import { maxBodyChunks } from '../../server/http/body-chunks.ts'
import { headersTimeoutMs, maxHeaderBytes, requestTimeoutMs } from '../../server/http/http-server.ts'
import * as unread from '../../server/http/limit-requests.ts'
import { maxRequestsPerTurn, maxWaitingRequests } from '../../server/http/request-turns.ts'
import { maxTcpConnections, reservedDescriptors } from '../../server/http/tcp-connections.ts'
import * as admission from '../../server/limits/admission.ts'
import { maxBuckets, networkShare } from '../../server/limits/network-buckets.ts'
import { maxShutOut, requestRates } from '../../server/limits/request-budget.ts'
import { addressByteBurstSeconds, byteRate } from '../../server/limits/send-rate.ts'
import { burstSeconds, type Rate } from '../../server/limits/token-bucket.ts'
import { maxBufferedLogBytes } from '../../server/logging/log-destination.ts'
import { bytesPerSecond as listBytesPerSecond } from '../../server/presence/whole-lists.ts'
import { maxRecentBytes, maxRecentMessages } from '../../server/room/recent-messages.ts'
import { maxMessagesPerRead } from '../../server/room/redis/log-reader.ts'
import { maxCachedBytes, maxCachedMs, maxPageBytes } from '../../server/room/replay-pages.ts'
import { maxFlushBytes, maxQueued, maxQueuedBytes } from '../../server/room/send-queue.ts'
import { readSettings } from '../../server/settings.ts'
import { maxNamespaceCharacters, maxWaitingCharacters } from '../../server/sockets/bounded-decoder.ts'
import { maxUnreadBytesForPong } from '../../server/sockets/count-packets.ts'
import { maxPacketsPerPayload } from '../../server/sockets/polling-payload.ts'
import { connectTimeoutMs } from '../../server/sockets/socket-server.ts'
import { maxBufferedChunks, maxFragments } from '../../server/sockets/web-socket-engine.ts'
import { maxUnansweredCalls } from '../../server/sqlite/storage-thread.ts'
import { keptBytesBudget, maxKeptMessages } from '../../web/connection/receiving/message-buffer.ts'
import { maxPressed } from '../../web/connection/sending/sender.ts'
import { readBytes } from '../security/walk/entry-points.ts'
import { count, kb, kib, mb, mib, seconds } from '../support/figures.ts'
import { projectRoot } from '../support/project-root.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const rate = ({ perSecond, burst }: Rate) => `${perSecond * 60} a minute, burst ${burst}`

const { maxConnectionsPerIp, messagesPerSecond, messagesPerSecondPerIp, retentionHours, retentionMessages } =
  readSettings({})
const tcpConnections = maxTcpConnections(maxConnectionsPerIp)
const otherConnections = tcpConnections - maxConnectionsPerIp
const { people, requests, bytes } = requestRates(maxConnectionsPerIp)
const everybody = `for each of ${maxConnectionsPerIp} + ${people - maxConnectionsPerIp} people`
const ownFrames = admission.packetRate(messagesPerSecond, burstSeconds)
const ownFrameBytes = admission.bytesOf(ownFrames)
const frames = admission.packetRate(messagesPerSecondPerIp, admission.addressBurstSeconds)
const frameBytes = admission.bytesOf(frames)
const ownSentBytes = byteRate(messagesPerSecond, burstSeconds)
const sentBytes = byteRate(messagesPerSecondPerIp, addressByteBurstSeconds)
/** Four bytes a character, in UTF-8 as in UTF-16. */
const longestMessageBytes = limits.maxMessageCharacters * 4
/** Rounded up: with what stands beside its text, 200 bytes, each of the longest messages fills four pages of SQLite. */
const logGb = Math.ceil((retentionMessages * (longestMessageBytes + 200)) / 1e8) / 10
const dayMs = 24 * 3_600_000

/** What begins a line of docs/bounds.md, and what has to stand in it. */
const bounds: [line: string, ...figures: string[]][] = [
  ['Head of a request', `| ${kib(maxHeaderBytes)}, complete within ${seconds(headersTimeoutMs)} |`],
  [
    'Body of a call',
    `${kib(limits.maxHttpBodyBytes)} in ${maxBodyChunks} pieces, complete within ${seconds(requestTimeoutMs)} |`,
  ],
  ['Requests not yet answered', `| ${unread.maxUnansweredPerConnection} |`],
  [
    'Requests and upgrades that wait',
    `${maxRequestsPerTurn} in all are served in a turn`,
    `from ${maxWaitingRequests} that wait`,
  ],
  [
    'Payload of a polling request',
    `${kib(limits.maxFrameBytes)} in ${maxBodyChunks} pieces and ${maxPacketsPerPayload} packets`,
  ],
  [
    'WebSocket message under way',
    `${kib(limits.maxFrameBytes)} in ${maxFragments} fragments, a frame in ${maxBufferedChunks} pieces`,
    `${seconds(limits.pingIntervalMs + limits.pingTimeoutMs)}, because no heartbeat`,
  ],
  ['Frames read and not yet handed out', `one read of the network, ${kib(readBytes)};`],
  [
    'Frames of any kind',
    `${count(ownFrames.perSecond)} frames and ${kb(ownFrameBytes.perSecond)} a second per connection`,
    `connection (burst ${count(ownFrames.burst)} and ${mb(ownFrameBytes.burst)});`,
    `; ${count(frames.perSecond)} and ${mb(frameBytes.perSecond)} per address`,
    `address (burst ${count(frames.burst)} and ${mb(frameBytes.burst)});`,
  ],
  ['Packet that waits', `${count(maxWaitingCharacters)} characters`],
  ['Name of a namespace', `| ${maxNamespaceCharacters} characters |`],
  ['A connection that says nothing', `| ${seconds(headersTimeoutMs)} |`, `| ${seconds(connectTimeoutMs)} |`],
  [
    'HTTP answers that are not read',
    `| ${mib(unread.maxUnreadBytesPerAddress)} per address`,
    `${mib(unread.maxUnreadBytesInTotal)} in total, ${seconds(unread.maxUnwritableMs)} without progress`,
  ],
  ['Live messages that are not read', `| ${mib(maxUnreadBytes)} per`, `${seconds(maxIdleMs)} without progress`],
  ['Stored messages that wait', `| ${mib(maxQueuedBytes)} in total`, `a flush of at most ${kib(maxFlushBytes)} leaves`],
  ['Replay', `one page of ${kib(maxPageBytes)} per connection`, `| ${kib(maxPageBytes)} |`],
  ['Lists of who is online', `${mib(listBytesPerSecond)} a second for all`],
  ['Answers to events', `takes nothing for ${seconds(maxIdleMs)} is let go`],
  ['Pongs', `none while ${kib(maxUnreadBytesForPong)} is unread`],
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
    'Handshakes',
    `| ${admission.handshakesPerSecond} a second, burst ${maxConnectionsPerIp * admission.handshakeBurstPerConnection} |`,
  ],
  [
    'Messages sent',
    `connection: ${messagesPerSecond} and ${kb(ownSentBytes.perSecond)} a second (burst ${kb(ownSentBytes.burst)});`,
    `address: ${messagesPerSecondPerIp} and ${kb(sentBytes.perSecond)} (${kb(sentBytes.burst)});`,
  ],
  ['Logins, right or wrong', rate(loginRate)],
  ['Registrations', rate(registrationRate), `their name ${rate(registrationAttemptRate)}`],
  ['Lists of users', rate(listRate)],
  ['Logins that wait for others', `| ${maxWaiting} |`],
  ['Tokens remembered', `| ${count(maxTokens)} each`],
  ['Failed logins, their networks', `| ${count(maxLedgerEntries)} each |`],
  ['Tokens of an account', `| ${maxTokensPerAccount}, ${limits.tokenLifetimeMs / dayMs} days |`],
  ['TCP connections |', `less ${reservedDescriptors} descriptors`],
  ['Rates per address and network', `(${tablesOfRates()} tables)`, `${count(maxBuckets)} entries`],
  [
    'Penalties for floods',
    `| ${count(admission.maxPenalties)} entries each |`,
    `| ${count(maxShutOut)} entries each |`,
  ],
  ['Failed logins, and addresses', `| ${count(maxFailures)} entries each`, `| ${count(maxKnown)} entries each`],
  ['Messages waiting to be stored', `| ${mib(maxQueuedBytes)}, ${count(maxQueued)} |`],
  ['A flush', `| ${kib(maxFlushBytes)} | ${kib(maxFlushBytes)} |`],
  ['Newest messages in memory', `| ${mib(maxRecentBytes)}, ${count(maxRecentMessages)} |`],
  ['Pages of replay kept', `| ${mib(maxCachedBytes)} for ${seconds(maxCachedMs)}, `],
  [
    'Messages heard from Redis',
    `| ${maxMessagesPerRead}, in flushes of ${kib(maxFlushBytes)} |`,
    `| ${mb(maxMessagesPerRead * longestMessageBytes)} of the longest messages |`,
  ],
  ['Orders kept for nodes', `| ${count(Number(maxOrders))} |`],
  ['Password hashes', `${mib(passwords.costs.memoryCost * 1_024)} each; ${passwords.defaultLimits.maxQueued} wait |`],
  ["Users' list", `| ${mib(userList.maxCachedBytes)} cached, read and sent ${userList.usersPerPage} at a time |`],
  ['Calls to a storage thread', `${count(maxUnansweredCalls)} unanswered`],
  ['Log lines waiting', `| ${mib(maxBufferedLogBytes)} |`],
  ['Messages on the disk', `${retentionHours} hours, ${count(retentionMessages)} `, `| ${logGb} GB of`],
  [
    'Work in one turn',
    `| ${longestTurnIn('tests/security/walk.test.ts')} ms for any`,
    `| ${longestTurnIn('tests/security/costliest-input.test.ts')} ms for any`,
  ],
  ['Messages that wait to be sent', `| ${maxPressed} | ${(maxPressed * longestMessageBytes) / 1e6} MB,`],
  ['Messages on a page', `the newest ${count(maxKeptMessages)} (`, `within ${mib(keptBytesBudget)} as`],
]

function tablesOfRates(): number {
  const sources = globSync('server/**/*.ts', { cwd: projectRoot }).filter((file) => !file.endsWith('.test.ts'))
  const made = sources.flatMap((file) => read(file).match(/(?<!function )\bcreateNetworkBuckets\(/g) ?? [])
  return made.length
}

/** Read, not imported: that would run the test. */
function longestTurnIn(file: string): string | undefined {
  return /^const maxTurnMs = (\d+)$/m.exec(read(file))?.[1]
}

test.each(bounds)('DOCS-4 %s: docs/bounds.md says what holds', (line, ...figures) => {
  const said = read('docs/bounds.md')
    .split('\n')
    .find((text) => text.startsWith(`| ${line}`))
  for (const figure of figures) expect(said).toContain(figure)
})

/** The rows of all tables that have a column 'bound', with its place among the cells. */
function rowsWithBound(): { row: string; place: number }[] {
  const tables = read('docs/bounds.md').match(/(?:^\|.*\n)+/gm) ?? []
  return tables.flatMap((table) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n')
    const place = head.split('|').findIndex((name) => name.trim() === 'bound')
    return place < 0 ? [] : rows.map((row) => ({ row, place }))
  })
}

const withoutDigits = (text: string) => text.replace(/\d/g, ' ')

test("DOCS-4 every figure in the column 'bound' is compared with what holds", () => {
  const rows = rowsWithBound()
  expect(rows.length).toBeGreaterThanOrEqual(bounds.length)
  const notCompared = rows.flatMap(({ row, place }) => {
    const [, ...figures] = bounds.find(([line]) => row.startsWith(`| ${line}`)) ?? []
    let left = row
    for (const figure of figures) left = left.replace(figure, withoutDigits(figure))
    const cell = left.split('|')[place] ?? ''
    const rest = cell.replace(/`[^`]*`/g, '').replace(/\/(?:24|48|56|64)\b/g, '')
    const [, what = ''] = row.split('|')
    return (rest.match(/\d[\d.,]*(?: \w+)?/g) ?? []).map((figure) => `${what.trim()}: ${figure}`)
  })
  expect(notCompared).toStrictEqual([])
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
  expect(table).toContain(`| ${otherConnections} other connections: `)
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
