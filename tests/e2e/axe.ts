import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const describeViolations = async (builder: AxeBuilder): Promise<string[]> =>
  (await builder.analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
  )

/** Returns the violations of all axe rules, including best practices. Waits for animations, which change colours. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  return describeViolations(new AxeBuilder({ page }))
}

/** Returns violations of the rules that depend on the page size. Skips colour contrast, the slowest rule. */
export const sizeViolations = (page: Page) =>
  describeViolations(new AxeBuilder({ page }).disableRules(['color-contrast']))
