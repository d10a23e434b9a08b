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

/** Returns the violations of all axe rules, including best practices. Waits for animations, which change colours. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  return describeViolations(await axe(page))
}

/** Returns violations of the rules that depend on the page size. Skips colour contrast, the slowest rule. */
export const sizeViolations = async (page: Page) =>
  describeViolations((await axe(page)).disableRules(['color-contrast']))
