import type { Page } from '@playwright/test'

export const brokenText = 'this message cannot be rendered'

/** Makes the rendering of a message that contains `brokenText` throw. */
export const breakRendering = (page: Page) =>
  page.addInitScript((broken) => {
    const original = Reflect.get(String.prototype, 'matchAll') as (pattern: RegExp) => unknown
    Reflect.set(String.prototype, 'matchAll', function matchAll(this: string, pattern: RegExp) {
      if (this.includes(broken)) throw new Error('injected fault')
      return original.call(this, pattern)
    })
  }, brokenText)

/**
 * Makes every access to `localStorage` and `sessionStorage` throw, as in a browser that blocks cookies and site data.
 */
export const forbidStorage = (page: Page) =>
  page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
    }
  })
