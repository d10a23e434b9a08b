import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const { resolve } = createRequire(import.meta.resolve('@axe-core/playwright'))
const axeSource = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')

/** Returns an axe run inside the page, which has no frames. Loads axe only into a document that does not have it yet. */
export async function axe(page: Page): Promise<AxeBuilder> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return new AxeBuilder({ page, axeSource: ';' }).setLegacyMode().options({ resultTypes: ['violations'] })
}

/** Describes every element that violates a rule of the run. */
export const describeViolations = async (run: AxeBuilder): Promise<string[]> =>
  (await run.analyze()).violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))

const waitForAnimations = (page: Page) =>
  page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))

/** Returns the violations of all axe rules, including best practices. Waits for animations, which change colours. */
export async function violations(page: Page): Promise<string[]> {
  await waitForAnimations(page)
  return describeViolations(await axe(page))
}

/** Returns the violations of all rules in the light color scheme, and of the rules about colors in the dark one. */
export async function violationsInBothColorSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await waitForAnimations(page)
  const inDark = await describeViolations((await axe(page)).withRules(['color-contrast', 'link-in-text-block']))
  await page.emulateMedia({ colorScheme: 'light' })
  return [...(await violations(page)), ...inDark.map((violation) => `dark: ${violation}`)]
}

/** Returns the violations of all axe rules except colour contrast, which is the slowest rule and does not depend on the layout. */
export const violationsWithoutContrast = async (page: Page) =>
  describeViolations((await axe(page)).disableRules(['color-contrast']))

/**
 * Returns the violations of the rules about sizes, which include `target-size`: axe does not apply it by default. The results of
 * rules that are not about sizes depend only on which elements are displayed.
 */
export const sizeViolations = async (page: Page) =>
  describeViolations((await axe(page)).withRules(['target-size', 'scrollable-region-focusable']))
