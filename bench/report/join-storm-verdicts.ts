import { presenceSlope, joinStormSummaries } from './aggregate.ts'
import type { Results } from './results.ts'
import { shortNumber } from './svg-page.ts'
import { notMeasured, type Verdict } from './verdict.ts'

export function joinStormVerdicts(results: Results): Verdict[] {
  const verdicts: Verdict[] = []
  for (const [kind, clients] of [
    ['pages', '1,000 pages'],
    ['plain', 'plain clients'],
  ] as const) {
    const storm = joinStormSummaries(results, kind).find(({ sockets }) => sockets === 2_000)
    const metricName = (text: string) => `Join storm of 2,000 sockets, ${clients}: ${text}`
    const share = storm === undefined ? null : storm.naiveBytes / storm.presenceBytes.median
    const bytes =
      storm === undefined ? '' : ` (${shortNumber(storm.presenceBytes.median)}B of ${shortNumber(storm.naiveBytes)}B)`
    verdicts.push(
      {
        isLoadIndependent: true,
        metric: metricName('presence bytes against full lists'),
        target: '≤ 1/50',
        measured: share === null ? notMeasured : `1/${Math.round(share).toLocaleString('en')}${bytes}`,
        isMet: share === null ? null : share >= 50,
      },
      {
        metric: metricName('p99 of chat messages'),
        target: '≤ 100 ms',
        measured: storm === undefined ? notMeasured : `${storm.chatP99Ms.median.toFixed(1)} ms`,
        isMet: storm === undefined ? null : storm.chatP99Ms.median <= 100,
      },
      {
        metric: metricName('presence lists correct'),
        target: 'all, within 2 s of the last join',
        measured:
          storm === undefined
            ? notMeasured
            : `${storm.areAllCorrect ? 'all' : 'NOT all'}, the last after ${(storm.correctAfterMs.median / 1_000).toFixed(2)} s`,
        isMet: storm === undefined ? null : storm.areAllCorrect && storm.correctAfterMs.median <= 2_000,
      },
    )
  }
  const slope = presenceSlope(results)
  verdicts.push({
    isLoadIndependent: true,
    metric: 'Slope of presence bytes per join over the number of sockets, pages',
    target: '≤ 1.1',
    measured: slope === null ? notMeasured : slope.toFixed(3),
    isMet: slope === null ? null : slope <= 1.1,
  })
  return verdicts
}
