import { expect } from 'vitest'
import type { EnginePage } from './engine.ts'

/** CSS selectors of the room. */
export const selectors = {
  message: 'textarea[enterkeyhint=send]',
  send: 'form button[type=submit]',
  list: 'section[tabindex]:has(> ol > li[value])',
}

/** Options of `expect.poll` for a state that a busy machine may reach late. */
export const pollOptions = { timeout: 60_000, interval: 100 }

export const roomOf = (page: EnginePage) => {
  const entries = () =>
    page.evaluate(
      (list) => [...document.querySelectorAll(`${list} > ol > li[value]`)].map((entry) => entry.textContent ?? ''),
      selectors.list,
    )
  const fieldValue = () =>
    page.evaluate((field) => document.querySelector<HTMLTextAreaElement>(field)?.value ?? null, selectors.message)
  const connection = () =>
    page.evaluate(() => document.querySelector<HTMLElement>('[data-connection]')?.dataset['connection'], null)

  return {
    entries,
    fieldValue,
    async enter(url: string) {
      await page.open(url)
      await this.until('live')
    },
    until: (state: 'live' | 'lost') => expect.poll(connection, pollOptions).toBe(state),
    focusMessage: () =>
      page.evaluate((field) => document.querySelector<HTMLTextAreaElement>(field)?.focus(), selectors.message),
    /** Returns the texts of the messages without times and names. */
    texts: async () => (await entries()).map((entry) => entry.slice(entry.indexOf(' : ') + 3)),
    untilTexts(wanted: string[]) {
      return expect.poll(() => this.texts(), pollOptions).toEqual(wanted)
    },
    untilFieldIs: (value: string) => expect.poll(fieldValue, pollOptions).toBe(value),
  }
}
