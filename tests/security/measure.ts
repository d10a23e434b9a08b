// This script checks performance limits that are meaningful only on an otherwise idle machine and are not part of `npm
// test`.

import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureAttacks } from './attacks/measure-attacks.ts'
import { abuse } from './measure/abuse.ts'
import { startBackgroundChat } from './measure/background-chat.ts'
import { createLimitReport } from './measure/limit-report.ts'
import { runConcurrentLogins, registerAccounts, timeFailedLogins } from './measure/logins.ts'
import { startMeasuredServer } from './measure/measured-server.ts'

const maxDifferencePercent = 10
const maxP99Ms = 100
const accounts = 200
const quietMs = 5_000

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string' } },
})
const report = createLimitReport()

async function measureLoginsAndFloods(): Promise<void> {
  const server = await startMeasuredServer({ isPinned: true })
  try {
    const quiet = await startBackgroundChat(server, 10)
    await pause(quietMs)
    const { p50Ms, p99Ms } = await quiet.stop()
    const verdict = p99Ms > maxP99Ms ? 'this machine is too busy to measure delays' : 'to compare with'
    console.log(`     chat without any attack: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (${verdict})`)
    await registerAccounts(server, accounts)
    const { knownMs, unknownMs, differencePercent } = await timeFailedLogins(server)
    console.log(
      `     failed login, median of 50: known name ${knownMs.toFixed(1)} ms, unknown ${unknownMs.toFixed(1)} ms`,
    )
    report.atMost('difference between known and unknown names', differencePercent, maxDifferencePercent, '%')

    const logins = await runConcurrentLogins(server, accounts)
    console.log(
      `     ${accounts} logins at once: ${logins.succeeded} succeeded in ${(logins.tookMs / 1_000).toFixed(1)} s`,
    )
    report.atMost('event loop p99 during 200 logins', logins.loopP99Ms, maxP99Ms, 'ms')
    report.atMost('chat p99 during 200 logins', logins.chat.p99Ms, maxP99Ms, 'ms')
    report.atMost('deliveries missing', logins.chat.missing, 0, '')

    const { tally, loopP99Ms, chat } = await abuse(server, 20, 20)
    console.log(`     one abuser for 20 s: ${JSON.stringify(tally)}`)
    report.atMost('event loop p99 under abuse', loopP99Ms, maxP99Ms, 'ms')
    report.atMost("others' p99 under abuse", chat.p99Ms, maxP99Ms, 'ms')
    report.atMost('deliveries missing', chat.missing, 0, '')
  } finally {
    await server.close()
  }
}

if (values.only === undefined) await measureLoginsAndFloods()
for (const origin of ['address', 'network'] as const) {
  await measureAttacks(report, { origin, seconds: Number(values.seconds), only: values.only })
}
process.exit(report.hasFailed() ? 1 : 0)
