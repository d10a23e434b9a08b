import { test as base, type BrowserContextOptions, type Page } from '@playwright/test'
import { type Application, noLimits, startApplication } from '../support/application.ts'
import { startClusterApplication } from '../support/cluster-application.ts'
import { serverEntry } from '../support/server-entry.ts'

interface TestFixtures {
  /** Starts a server for this test alone. The test may kill or restart the server. */
  startServer: (env?: Record<string, string>) => Promise<Application>
  /** Opens a page in a new browser context, as another visitor. */
  openVisitor: (options?: BrowserContextOptions) => Promise<Page>
}

export interface WorkerFixtures {
  /** Number of nodes behind nginx; 0 is a single server without nginx. Set it with `E2E_NODES=3 npx playwright test`. */
  nodes: number
  /** Server of the worker, without message rate limits, shared by its tests. A new page does not show old messages. */
  application: Application
}

const defaultNodes = Number(process.env['E2E_NODES'] ?? 0)

const hasFakeClock = (page: Page) => page.evaluate(() => '__pwClock' in globalThis).catch(() => true)

export const test = base.extend<TestFixtures, WorkerFixtures>({
  nodes: [defaultNodes, { option: true, scope: 'worker' }],
  application: [
    async ({ nodes }, use) => {
      const application = await (nodes > 0
        ? startClusterApplication(nodes, noLimits)
        : startApplication(['scripts/launch.mjs', 'start'], noLimits))
      await use(application)
      await application.dispose()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ application }, use) => {
    await use(application.url)
  },
  /**
   * Opens a new tab in the context of the worker. The first tab stays open, because opening a window takes most of a
   * second.
   */
  page: async ({ context }, use) => {
    if (context.pages().length === 0) await context.newPage()
    const page = await context.newPage()
    await use(page)
    // Playwright does not remove a fake clock completely, so the next test gets a new context.
    if (await hasFakeClock(page)) return context.close()
    await page.close()
    // Before it reuses a context, Playwright resets all state except permissions and the offline mode.
    await context.clearPermissions()
    await context.setOffline(false)
  },
  startServer: async ({ nodes }, use) => {
    const started: Application[] = []
    await use(async (env = {}) => {
      const server = await (nodes > 0 ? startClusterApplication(nodes, env) : startApplication([serverEntry], env))
      started.push(server)
      return server
    })
    for (const server of started) await server.dispose()
  },
  openVisitor: async ({ browser, baseURL }, use) => {
    const pages: Page[] = []
    await use(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }), ...options })
      const page = await context.newPage()
      pages.push(page)
      return page
    })
    for (const page of pages) await page.context().close()
  },
})

export { expect } from '@playwright/test'
