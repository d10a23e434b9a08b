import type { Page } from '@playwright/test'

export interface Size {
  width: number
  height: number
}

/** Viewports from a small screen at 400 % zoom to a large monitor; phones in both orientations and with open keyboard. */
export const sizes: Size[] = [
  { width: 320, height: 180 },
  { width: 320, height: 256 },
  { width: 320, height: 568 },
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 390, height: 330 },
  { width: 844, height: 190 },
  { width: 768, height: 1024 },
  { width: 959, height: 700 },
  { width: 960, height: 700 },
  { width: 1280, height: 800 },
  { width: 2560, height: 1440 },
]

/** Text sizes that browsers offer, in percent of the default. */
export const textSizes = [100, 150, 200]

/** Whether a test checks all combinations of size, text size and login: `npm run browsers` sets `E2E_MATRIX=all`. */
const isWholeMatrix = process.env['E2E_MATRIX'] === 'all'

export interface Combination {
  size: Size
  /** Text size in percent. */
  text: number
}

/**
 * Returns the combinations of size and text size to check for an anonymous or a logged-in user: all of them with
 * `E2E_MATRIX=all`, otherwise half. The two halves cover every combination, and each half covers every size and every
 * text size.
 */
export const sizesAndTextSizes = (isLoggedIn: boolean): Combination[] =>
  sizes.flatMap((size, row) =>
    textSizes
      .filter((_, column) => isWholeMatrix || ((row + column) % 2 === 1) === isLoggedIn)
      .map((text) => ({ size, text })),
  )

/** Combinations whose layouts differ most: a small screen, a phone, its open keyboard, and two widths with a sidebar. */
const differentLayouts = [
  '320×180 at 200 %',
  '390×330 at 100 %',
  '390×844 at 100 %',
  '960×700 at 100 %',
  '1280×800 at 100 %',
]

/** Returns whether a test applies all axe rules except contrast: always with `E2E_MATRIX=all`, otherwise in `differentLayouts`. */
export const needsAllAxeRules = ({ size, text }: Combination) =>
  isWholeMatrix || differentLayouts.includes(`${size.width}×${size.height} at ${text} %`)

export async function setTextSize(page: Page, percent: number) {
  await page.evaluate((size) => (document.documentElement.style.fontSize = `${size}%`), percent)
}

/**
 * Waits until two consecutive frames, each followed by a task, leave the position of every element in `main` unchanged.
 */
export async function waitForStableLayout(page: Page) {
  await page.evaluate(async () => {
    const positions = () =>
      [...document.querySelectorAll('main *')]
        .map((part) => Object.values(part.getBoundingClientRect().toJSON()))
        .join()
    let before = ''
    for (let unchanged = 0; unchanged < 2;) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const now = positions()
      unchanged = now === before ? unchanged + 1 : 0
      before = now
    }
  })
}

/**
 * Returns the layout problems of the composer while its field has the focus. The field must be fully in view, at least
 * 160 px and half of its row wide. Nothing may cover its centre, and Send must be beside or below it. No two elements of
 * the composer may overlap. `visibleHeight` is the height that an on-screen keyboard leaves visible.
 */
export async function composerProblems(page: Page, visibleHeight?: number) {
  await page.evaluate(() => {
    const field = document.querySelector<HTMLTextAreaElement>('textarea[enterkeyhint=send]')
    field?.blur()
    field?.focus()
  })
  await waitForStableLayout(page)
  return page.evaluate((heightPx) => {
    const found: string[] = []
    const form = document.querySelector('form')
    const field = form?.querySelector<HTMLTextAreaElement>('textarea[enterkeyhint=send]')
    const send = form?.querySelector<HTMLElement>('button[type=submit]')
    if (form === null || field === null || field === undefined || send === null || send === undefined)
      return ['there is no composer']
    const bottom = heightPx ?? window.innerHeight
    const box = field.getBoundingClientRect()
    const rowPx = form.getBoundingClientRect().width
    if (box.width < 160) found.push(`the field is ${Math.round(box.width)} px wide`)
    if (box.width < rowPx / 2) found.push(`the field has ${Math.round(box.width)} of ${Math.round(rowPx)} px`)
    if (box.top < -1 || box.bottom > bottom + 1 || box.left < 0 || box.right > document.documentElement.clientWidth) {
      found.push(`the field is at ${Math.round(box.top)}–${Math.round(box.bottom)} of ${bottom} px`)
    }
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    if (at !== field) found.push(`the field is covered by ${at?.outerHTML.slice(0, 80) ?? 'nothing'}`)

    const other = send.getBoundingClientRect()
    if (other.left < box.right && other.right > box.left && other.top < box.bottom)
      found.push('Send is not beside or below')
    const parts = [...form.querySelectorAll<HTMLElement>('h2, legend, input, textarea, button, p')].filter((part) =>
      part.checkVisibility(),
    )
    for (const [index, one] of parts.entries()) {
      const a = one.getBoundingClientRect()
      for (const another of parts.slice(index + 1)) {
        if (one.contains(another)) continue
        const b = another.getBoundingClientRect()
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) {
          found.push(`${one.tagName} ${one.textContent} overlaps ${another.tagName} ${another.textContent}`)
        }
      }
    }
    return found
  }, visibleHeight)
}

/** Describes the elements of the page that are clipped or cannot be scrolled into view. */
export async function unreachableElements(page: Page) {
  await waitForStableLayout(page)
  return page.evaluate(() => {
    const found: string[] = []
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide`)
    const parts = document.querySelectorAll<HTMLElement>(
      'h1, h2, p, legend, label, a, button, input, textarea, li, output',
    )
    for (const part of parts) {
      if (!part.checkVisibility({ visibilityProperty: true }) || part.closest('.sr-only') !== null) continue
      const name = `${part.tagName} ${(part.textContent ?? '').slice(0, 40)}`
      part.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const box = part.getBoundingClientRect()
      if (box.width <= 1 || box.height <= 1) continue
      if (box.left < -1 || box.right > clientWidth + 1)
        found.push(`${name} is at ${box.left}–${box.right} of ${clientWidth} px`)
      let view = window.innerHeight
      for (let box = part.parentElement; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).overflowY === 'auto') view = Math.min(view, box.clientHeight)
      }
      const isWhole = box.top >= -1 && box.bottom <= window.innerHeight + 1
      if (!isWhole && box.height <= view) found.push(`${name} cannot be scrolled into view`)
      const isInline = getComputedStyle(part).display === 'inline'
      if (!isInline && part.tagName !== 'INPUT' && part.scrollWidth > part.clientWidth + 1) found.push(`${name} is cut`)
    }
    return found
  })
}
