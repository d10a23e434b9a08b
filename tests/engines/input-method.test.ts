import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Application, startApplication } from '../support/application.ts'
import { launchFirefoxSystem } from './firefox-system.ts'
import { pollOptions, selectors } from './room-driver.ts'

let server: Application
let firefox: Awaited<ReturnType<typeof launchFirefoxSystem>>

beforeAll(async () => {
  server = await startApplication(['server/main.ts'])
  firefox = await launchFirefoxSystem()
})
afterAll(async () => {
  await firefox.close()
  await server.dispose()
})

/** Runs a script with `tip`, the simulated input method, and `enter`, its Enter key. */
const useInputMethod = (script: string) =>
  firefox.runInSystem(`
    const tip = Cc['@mozilla.org/text-input-processor;1'].createInstance(Ci.nsITextInputProcessor)
    if (!tip.beginInputTransactionForTests(window, () => true)) throw new Error('no input transaction')
    const { KeyboardEvent } = window
    const enter = new KeyboardEvent('', { key: 'Enter', code: 'Enter', keyCode: KeyboardEvent.DOM_VK_RETURN })
    ${script}
    tip.keyup(enter)`)

const fieldValue = () => firefox.run(`return document.querySelector('${selectors.message}').value`)
const entries = () => firefox.run(`return [...document.querySelectorAll('li[value]')].map((li) => li.textContent)`)

test('WRITING-6 Firefox: Enter that ends a composition commits the word and sends nothing; the next Enter sends', async () => {
  await firefox.open(server.url)
  const connection = () => firefox.run(`return document.querySelector('[data-connection]').dataset.connection`)
  await expect.poll(connection, pollOptions).toBe('live')
  await firefox.run(`
    const field = document.querySelector('${selectors.message}')
    window.composed = []
    field.addEventListener('compositionend', ({ data, isTrusted }) => window.composed.push({ data, isTrusted }))
    field.focus()`)
  for (const word of ['にほん', 'ご']) {
    await useInputMethod(`
      for (const length of [1, ${word.length}]) {
        tip.setPendingCompositionString('${word}'.slice(0, length))
        tip.appendClauseToPendingComposition(length, tip.ATTR_RAW_CLAUSE)
        tip.setCaretInPendingComposition(length)
        tip.flushPendingComposition()
      }
      tip.commitComposition(enter)`)
  }
  const composed = ['にほん', 'ご'].map((data) => ({ data, isTrusted: true }))
  await expect.poll(() => firefox.run('return window.composed'), pollOptions).toEqual(composed)
  expect(await fieldValue()).toBe('にほんご')
  await useInputMethod('tip.keydown(enter)')
  await expect.poll(entries, pollOptions).toEqual([expect.stringMatching(/ : にほんご$/)])
  await expect.poll(fieldValue, pollOptions).toBe('')
})
