import { test as base, type BrowserContextOptions, type Page } from '@playwright/test'
import { type Application, startApplication } from '../support/application.ts'

interface TestFixtures {
  /** A server of the test's own, to be killed and started again, or to be flooded. */
  ownServer: (env?: Record<string, string>) => Promise<Application>
  /** Another visitor: a page in a browser profile of its own. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>
}

interface WorkerFixtures {
  application: Application
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  application: [
    async ({ browserName: _browserName }, use) => {
      const application = await startApplication(['scripts/launch.mjs', 'start'])
      await use(application)
      await application.dispose()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ application }, use) => {
    await use(application.url)
  },
  ownServer: async ({ browserName: _browserName }, use) => {
    const started: Application[] = []
    await use(async (env = {}) => {
      const server = await startApplication(['server/main.ts'], env)
      started.push(server)
      return server
    })
    for (const server of started) await server.dispose()
  },
  visitor: async ({ browser, baseURL }, use) => {
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
