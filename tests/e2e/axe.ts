import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const asText = async (builder: AxeBuilder): Promise<string[]> =>
  (await builder.analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
  )

/** Everything axe knows, best practices included. Colours are judged at rest, not half-way through a transition. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  return asText(new AxeBuilder({ page }))
}

/** What a size can change: all but the colours, which take axe the longest. */
export const violationsOfSize = (page: Page) => asText(new AxeBuilder({ page }).disableRules(['color-contrast']))
