import type { Page } from '@playwright/test'

export const brokenText = 'this message cannot be drawn'

/** Makes drawing of one message throw, as a defect of the page would. */
export const breakDrawing = (page: Page) =>
  page.addInitScript((broken) => {
    const original = Reflect.get(String.prototype, 'matchAll') as (pattern: RegExp) => unknown
    Reflect.set(String.prototype, 'matchAll', function matchAll(this: string, pattern: RegExp) {
      if (this.includes(broken)) throw new Error('injected fault')
      return original.call(this, pattern)
    })
  }, brokenText)

/** Each access to storage throws, as in a browser that blocks cookies and site data. */
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
