import { test as base, type BrowserContextOptions, type Page } from '@playwright/test'
import { type Application, startApplication } from '../support/application.ts'
import { startClusterApplication } from '../support/cluster-application.ts'

interface TestFixtures {
  /** Starts a server for this test alone, which may kill, restart or flood it. */
  startServer: (env?: Record<string, string>) => Promise<Application>
  /** Opens a page in a new browser context, as another visitor. */
  openVisitor: (options?: BrowserContextOptions) => Promise<Page>
}

export interface WorkerFixtures {
  /** Number of nodes behind nginx; 0 is a single server without nginx. Set it with `E2E_NODES=3 npx playwright test`. */
  nodes: number
  application: Application
}

const defaultNodes = Number(process.env['E2E_NODES'] ?? 0)

export const test = base.extend<TestFixtures, WorkerFixtures>({
  nodes: [defaultNodes, { option: true, scope: 'worker' }],
  application: [
    async ({ nodes }, use) => {
      const application = await (nodes > 0
        ? startClusterApplication(nodes)
        : startApplication(['scripts/launch.mjs', 'start']))
      await use(application)
      await application.dispose()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ application }, use) => {
    await use(application.url)
  },
  startServer: async ({ nodes }, use) => {
    const started: Application[] = []
    await use(async (env = {}) => {
      const server = await (nodes > 0 ? startClusterApplication(nodes, env) : startApplication(['server/main.ts'], env))
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
