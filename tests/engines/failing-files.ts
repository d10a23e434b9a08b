import { startHttpProxy } from '../support/http-proxy.ts'

/** Starts a proxy that responds to the first request for each URL matching `pattern` with status 503. */
export async function failFirstRequests(applicationUrl: string, pattern: RegExp) {
  const failed = new Set<string>()
  const proxy = await startHttpProxy(applicationUrl, ({ incoming: { url = '' }, outgoing, forward }) => {
    if (!pattern.test(url) || failed.has(url)) return forward()
    failed.add(url)
    outgoing.writeHead(503).end()
  })
  return { ...proxy, failed }
}
