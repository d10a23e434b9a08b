import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { judgeAttacks } from './attacks/judge-attacks.ts'
import { abuse } from './measure/abuse.ts'
import { startChatters } from './measure/chatters.ts'
import { createJudge } from './measure/judge.ts'
import { crowdOfLogins, registerAccounts, timeFailedLogins } from './measure/logins.ts'
import { startMeasuredServer } from './measure/measured-server.ts'

/** Judges the numbers that `npm test` leaves alone: they say something on a quiet machine only. */
const maxDifferencePercent = 10
const maxP99Ms = 100
const accounts = 200
const quietMs = 5_000

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string' } },
})
const judge = createJudge()

async function measureLoginsAndFloods(): Promise<void> {
  const server = await startMeasuredServer()
  try {
    const quiet = await startChatters(server, 10)
    await pause(quietMs)
    const { p50Ms, p99Ms } = await quiet.stop()
    const verdict = p99Ms > maxP99Ms ? 'this machine is too busy to judge delays' : 'to compare with'
    console.log(`     chat without any attack: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (${verdict})`)
    await registerAccounts(server, accounts)
    const { knownMs, unknownMs, differencePercent } = await timeFailedLogins(server)
    console.log(
      `     failed login, median of 50: known name ${knownMs.toFixed(1)} ms, unknown ${unknownMs.toFixed(1)} ms`,
    )
    judge.atMost('difference between known and unknown names', differencePercent, maxDifferencePercent, '%')

    const crowd = await crowdOfLogins(server, accounts)
    console.log(
      `     ${accounts} logins at once: ${crowd.succeeded} succeeded in ${(crowd.tookMs / 1_000).toFixed(1)} s`,
    )
    judge.atMost('event loop p99 during 200 logins', crowd.loopP99Ms, maxP99Ms, 'ms')
    judge.atMost('chat p99 during 200 logins', crowd.chat.p99Ms, maxP99Ms, 'ms')
    judge.atMost('deliveries missing', crowd.chat.missing, 0, '')

    const { tally, loopP99Ms, chat } = await abuse(server, 20, 20)
    console.log(`     one abuser for 20 s: ${JSON.stringify(tally)}`)
    judge.atMost('event loop p99 under abuse', loopP99Ms, maxP99Ms, 'ms')
    judge.atMost("others' p99 under abuse", chat.p99Ms, maxP99Ms, 'ms')
    judge.atMost('deliveries missing', chat.missing, 0, '')
  } finally {
    await server.close()
  }
}

if (values.only === undefined) await measureLoginsAndFloods()
for (const origin of ['address', 'network'] as const) {
  await judgeAttacks(judge, { origin, seconds: Number(values.seconds), only: values.only })
}
process.exit(judge.hasFailed() ? 1 : 0)
