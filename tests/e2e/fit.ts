import type { Page } from '@playwright/test'

export interface Size {
  width: number
  height: number
}

/** From a page at 400 % on a small screen to a large monitor; phones upright, on their side, with their keyboards open. */
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

/** What browsers offer as the size of text, in percent of the usual. */
export const textSizes = [100, 150, 200]

export async function setTextSize(page: Page, percent: number) {
  await page.evaluate((size) => (document.documentElement.style.fontSize = `${size}%`), percent)
}

/** Waits until a few frames in a row, each with what it set off, have left everything where it was. */
export async function atRest(page: Page) {
  await page.evaluate(async () => {
    const places = () =>
      [...document.querySelectorAll('main *')]
        .map((part) => Object.values(part.getBoundingClientRect().toJSON()))
        .join()
    let before = ''
    for (let still = 0; still < 2;) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const now = places()
      still = now === before ? still + 1 : 0
      before = now
    }
  })
}

/**
 * What the composer lacks while somebody types into it: a field of 160 px and half of its row, in view as a whole, Send
 * beside or below it, and nothing over anything. `visibleHeight` where a keyboard covers the rest.
 */
export async function composerFlaws(page: Page, visibleHeight?: number) {
  await page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>('input[enterkeyhint=send]')
    field?.blur()
    field?.focus()
  })
  await atRest(page)
  return page.evaluate((heightPx) => {
    const found: string[] = []
    const form = document.querySelector('form')
    const field = form?.querySelector<HTMLInputElement>('input[enterkeyhint=send]')
    const send = form?.querySelector<HTMLElement>('button[type=submit]')
    if (form === null || field === null || field === undefined || send === null || send === undefined) return ['none']
    const bottom = heightPx ?? window.innerHeight
    const box = field.getBoundingClientRect()
    const rowPx = form.getBoundingClientRect().width
    if (box.width < 160) found.push(`the field is ${Math.round(box.width)} px wide`)
    if (box.width < rowPx / 2) found.push(`the field has ${Math.round(box.width)} of ${Math.round(rowPx)} px`)
    if (box.top < -1 || box.bottom > bottom + 1 || box.left < 0 || box.right > document.documentElement.clientWidth) {
      found.push(`the field stands at ${Math.round(box.top)}–${Math.round(box.bottom)} of ${bottom} px`)
    }
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    if (at !== field) found.push(`the field is covered by ${at?.outerHTML.slice(0, 80) ?? 'nothing'}`)

    const other = send.getBoundingClientRect()
    if (other.left < box.right && other.right > box.left && other.top < box.bottom)
      found.push('Send is not beside or below')
    const parts = [...form.querySelectorAll<HTMLElement>('h2, legend, input, button, p')].filter((part) =>
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

/** What is cut and cannot be scrolled into view, on the whole page. */
export async function unreachable(page: Page) {
  await atRest(page)
  return page.evaluate(() => {
    const found: string[] = []
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide`)
    const parts = document.querySelectorAll<HTMLElement>('h1, h2, p, legend, label, a, button, input, li, output')
    for (const part of parts) {
      if (!part.checkVisibility({ visibilityProperty: true }) || part.closest('.sr-only') !== null) continue
      const name = `${part.tagName} ${(part.textContent ?? '').slice(0, 40)}`
      part.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const box = part.getBoundingClientRect()
      if (box.width <= 1 || box.height <= 1) continue
      if (box.left < -1 || box.right > clientWidth + 1)
        found.push(`${name} stands at ${box.left}–${box.right} of ${clientWidth} px`)
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
