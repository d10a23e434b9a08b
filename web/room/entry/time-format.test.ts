import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { maxCreatedTimeMs } from '../../../contract/limits.ts'
import { createTimeFormat, timeText } from './time-format.ts'

/** Returns `timeText` of a newly loaded module, which has no formatter yet. */
async function freshTimeText() {
  vi.resetModules()
  return (await import('./time-format.ts')).timeText
}

const locales = ['en-US', 'en-GB', 'de', 'fr-CA', 'sv', 'ja', 'zh-TW', 'ko', 'ar-EG', 'fa', 'he', 'th', 'hi', 'bg']
const timeZones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'Australia/Lord_Howe', 'Pacific/Apia']
const times = fc.oneof(
  fc.integer({ min: 0, max: maxCreatedTimeMs }),
  fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) }),
)
const zoneOfTheTests = process.env['TZ']

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  if (zoneOfTheTests === undefined) delete process.env['TZ']
  else process.env['TZ'] = zoneOfTheTests
})

test.each(locales)(
  'CHAT-7 the shared formatter returns the same text as toLocaleString in every time zone (%s)',
  (locale) => {
    for (const timeZone of timeZones) {
      const format = createTimeFormat(locale, timeZone)
      fc.assert(
        fc.property(times, (time) => {
          expect(format.format(time)).toBe(new Date(time).toLocaleString(locale, { timeZone }))
        }),
        { numRuns: 50 },
      )
    }
  },
)

test('CHAT-7 the time of an entry is toLocaleString, also for an invalid time', () => {
  fc.assert(
    fc.property(fc.oneof(times, fc.double()), (time) => {
      expect(timeText(time)).toBe(new Date(time).toLocaleString())
    }),
  )
})

test('CHAT-7 the times of many entries are formatted by one formatter', async () => {
  vi.useFakeTimers()
  const text = await freshTimeText()
  const created = vi.spyOn(Intl, 'DateTimeFormat')
  const formatted = vi.spyOn(Date.prototype, 'toLocaleString')
  for (let number = 0; number < 1_000; number++) text(number * 100_000)
  expect(created).toHaveBeenCalledTimes(1)
  expect(formatted).not.toHaveBeenCalled()
})

test('CHAT-7 new entries follow a change of the time zone', async () => {
  vi.useFakeTimers()
  const text = await freshTimeText()
  const noon = Date.UTC(2026, 10, 17, 12)
  for (const timeZone of timeZones) {
    process.env['TZ'] = timeZone
    vi.advanceTimersByTime(1_000)
    expect(text(noon)).toBe(new Date(noon).toLocaleString(undefined, { timeZone }))
  }
})
