import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import lighthouse, { type Result } from 'lighthouse'
import { loginDataKey } from '../contract/constants.ts'
import { routes } from '../contract/routes.ts'
import { registerAccount } from '../tests/support/accounts.ts'
import { startApplication } from '../tests/support/application.ts'
import { findFreePort } from '../tests/support/free-port.ts'
import { chromiumOptions } from './chromium.ts'
import { ensureBuild } from './build/ensure-build.ts'
import { logLine } from './steps.ts'

const minimumScores = {
  performance: 99,
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
}
const maximumValues = {
  'largest-contentful-paint': 1_200,
  'cumulative-layout-shift': 0.02,
  'total-blocking-time': 100,
}

/** Number of runs per page. The result is the run with the median blocking time, because other load distorts single runs. */
const runs = 3

const blockingMs = (report: Result) => report.audits['total-blocking-time']?.numericValue ?? 0

async function measure(url: string, port: number): Promise<Result> {
  const reports: Result[] = []
  for (let run = 0; run < runs; run++) {
    const result = await lighthouse(url, {
      port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: Object.keys(minimumScores),
      disableStorageReset: true,
    })
    if (result === undefined) throw new Error(`no report for ${url}`)
    reports.push(result.lhr)
  }
  const median = reports.toSorted((one, other) => blockingMs(one) - blockingMs(other))[Math.floor(runs / 2)]
  if (median === undefined) throw new Error('no run')
  return median
}

/** Returns the result of one page as text and whether it is within the limits. */
function evaluate(report: Result): { line: string; isFine: boolean } {
  const scores = Object.entries(minimumScores).map(([id, minimum]) => {
    const score = Math.round((report.categories[id]?.score ?? 0) * 100)
    return { text: `${id} ${score}`, isFine: score >= minimum }
  })
  const figures = Object.entries(maximumValues).map(([id, limit]) => {
    const value = report.audits[id]?.numericValue ?? Number.POSITIVE_INFINITY
    return { text: `${id} ${Math.round(value * 1_000) / 1_000}`, isFine: value <= limit }
  })
  const all = [...scores, ...figures]
  return {
    line: all.map(({ text, isFine }) => (isFine ? text : `${text} (!)`)).join(', '),
    isFine: all.every(({ isFine }) => isFine),
  }
}

await ensureBuild()
const application = await startApplication(['server/main.ts'], { NODE_ENV: 'production' })
const profile = await mkdtemp(join(tmpdir(), 'chat-room-lighthouse-'))
const port = await findFreePort()
const browser = await chromium.launchPersistentContext(profile, {
  ...chromiumOptions,
  args: [...chromiumOptions.args, `--remote-debugging-port=${port}`],
})
try {
  // Without stored login data, the users screen redirects.
  const { response } = await registerAccount(application.url)
  const page = await browser.newPage()
  await page.goto(application.url)
  await page.evaluate(([key, data]) => localStorage.setItem(key, data), [
    loginDataKey,
    JSON.stringify(response),
  ] as const)
  await page.close()

  for (const path of Object.values(routes)) {
    const report = await measure(application.url + path, port)
    const { line, isFine } = evaluate(report)
    logLine(`lighthouse ${path}: ${line}`)
    if (!isFine) {
      process.exitCode = 1
      for (const audit of Object.values(report.audits)) {
        if (audit.score !== null && audit.score < 1) logLine(`  ${audit.id}: ${audit.displayValue ?? audit.title}`)
      }
    }
  }
} finally {
  await browser.close()
  await application.dispose()
  await rm(profile, { recursive: true, force: true })
}
