import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Registered, Registration, UserListed } from '../../contract/accounts.ts'
import * as limits from '../../contract/limits.ts'
import { ChatMessage } from '../../contract/messages.ts'
import { routes } from '../../contract/routes.ts'
import * as loginLimits from '../../server/accounts/login-limits.ts'
import { flushWindowMs } from '../../server/room/flush-scheduler.ts'
import { readSettings } from '../../server/settings.ts'
import { maxPacketsPerPayload } from '../../server/sockets/polling-payload.ts'
import { count, kib, seconds } from '../support/figures.ts'
import { projectRoot } from '../support/project-root.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const { pingIntervalMs, pingTimeoutMs } = limits

test('DOCS-4 the README says how long what a client sends may be, and of which fields a message is', () => {
  const readme = read('README.md')
  expect(readme).toContain(
    `message ${count(limits.maxMessageCharacters)}, name ${limits.maxNameCharacters}, e-mail ${limits.maxEmailCharacters}; a password has at most ${count(limits.maxPasswordBytes)} bytes, a frame ${kib(limits.maxFrameBytes)}.`,
  )
  expect(readme).toContain(`| \`send_message\` | \`{ ${Object.keys(ChatMessage.properties).join(', ')} }\``)
  // Whatever else is stored: those who ask for nothing more are told the specified three.
  expect(readme).toContain('| `recive_message` | `{ username, message, createdTime }`')
})

test('DOCS-4 the README says of which fields a registration and a user are', () => {
  const fields = ({ properties }: { properties: object }) => `{ ${Object.keys(properties).join(', ')} }`
  const readme = read('README.md')
  expect(readme).toContain(
    `| \`POST ${routes.register}\` | \`${fields(Registration)}\` | 201 \`${fields(Registered)}\`;`,
  )
  expect(readme).toContain(`| 200 \`[${fields(UserListed)}]\`;`)
})

test('DOCS-4 the largest body, frame and payload are the same for writers of clients and in the promises', () => {
  const { maxHttpBodyBytes, maxFrameBytes } = limits
  expect(read('SECURITY.md')).toContain(`Body ${kib(maxHttpBodyBytes)}, frame ${kib(maxFrameBytes)},`)
  expect(read('docs/clients.md')).toContain(
    `At most ${maxPacketsPerPayload} packets in one polling payload, ${kib(maxFrameBytes)} in one frame`,
  )
})

test('DOCS-4 the disk that the longest messages take is the same for whoever sizes a machine', () => {
  const [, worstCase = 'no figure'] = /\| ([\d.]+ GB) of the longest messages/.exec(read('docs/bounds.md')) ?? []
  const said = read('docs/operating.md').replace(/\s+/g, ' ')
  const { retentionMessages } = readSettings({})
  expect(said).toContain(
    `A message takes about its text plus 200 bytes on the disk, so the ${count(retentionMessages)} of the default retention are at most ${worstCase} of the longest texts`,
  )
  // A hundred characters are a usual text.
  expect(said).toContain(`usually about ${(retentionMessages * 300) / 1e6} MB`)
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
