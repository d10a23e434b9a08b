import { presenceSlope, stormSummaries } from './aggregate.ts'
import type { Results } from './results.ts'
import { shortNumber } from './svg-page.ts'
import { notMeasured, type Verdict } from './verdict.ts'

export function stormVerdicts(results: Results): Verdict[] {
  const verdicts: Verdict[] = []
  for (const [kind, who] of [
    ['pages', '1,000 pages'],
    ['plain', 'plain clients'],
  ] as const) {
    const storm = stormSummaries(results, kind).find(({ sockets }) => sockets === 2_000)
    const what = (text: string) => `Join storm of 2,000 sockets, ${who}: ${text}`
    const share = storm === undefined ? null : storm.naiveBytes / storm.presenceBytes.median
    const bytes =
      storm === undefined ? '' : ` (${shortNumber(storm.presenceBytes.median)}B of ${shortNumber(storm.naiveBytes)}B)`
    verdicts.push(
      {
        counted: true,
        what: what('bytes against the naive list'),
        target: '≤ 1/50',
        measured: share === null ? notMeasured : `1/${Math.round(share).toLocaleString('en')}${bytes}`,
        met: share === null ? null : share >= 50,
      },
      {
        what: what('chat p99 during it'),
        target: '≤ 100 ms',
        measured: storm === undefined ? notMeasured : `${storm.chatP99Ms.median.toFixed(1)} ms`,
        met: storm === undefined ? null : storm.chatP99Ms.median <= 100,
      },
      {
        what: what('every list right'),
        target: 'within 2 s of its end',
        measured:
          storm === undefined
            ? notMeasured
            : `${storm.allRight ? 'all' : 'NOT all'} right, the last after ${(storm.rightAfterMs.median / 1_000).toFixed(2)} s`,
        met: storm === undefined ? null : storm.allRight && storm.rightAfterMs.median <= 2_000,
      },
    )
  }
  const slope = presenceSlope(results)
  verdicts.push({
    counted: true,
    what: "Presence bytes per join for our page's clients, slope over N",
    target: '≤ 1.1',
    measured: slope === null ? notMeasured : slope.toFixed(3),
    met: slope === null ? null : slope <= 1.1,
  })
  return verdicts
}
