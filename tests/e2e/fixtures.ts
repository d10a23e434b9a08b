import { test as base, type BrowserContextOptions, type Page } from '@playwright/test'
import { type Application, startApplication } from '../support/application.ts'
import { startClusterApplication } from '../support/cluster-application.ts'

interface TestFixtures {
  /** A server of the test's own, to be killed and started again, or to be flooded. */
  ownServer: (env?: Record<string, string>) => Promise<Application>
  /** Another visitor: a page in a browser profile of its own. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>
}

export interface WorkerFixtures {
  /** How many nodes behind nginx the application is; 0: one server by itself. `E2E_NODES=3 npx playwright test` */
  nodes: number
  application: Application
}

const nodesByDefault = Number(process.env['E2E_NODES'] ?? 0)

export const test = base.extend<TestFixtures, WorkerFixtures>({
  nodes: [nodesByDefault, { option: true, scope: 'worker' }],
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
  ownServer: async ({ nodes }, use) => {
    const started: Application[] = []
    await use(async (env = {}) => {
      const server = await (nodes > 0 ? startClusterApplication(nodes, env) : startApplication(['server/main.ts'], env))
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
