import { startServer } from '../support/start-server.ts'

type Env = Record<string, string>

/** Starts a server that trusts this machine as its proxy, so that a test can use any client address. */
export async function startBehindProxy(env: Env = {}) {
  const server = await startServer({ TRUST_PROXY: '127.0.0.1', ...env })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  return {
    ...server,
    callFrom: (address: string, path: string, body: unknown) => server.call(path, body, from(address)),
    clientFrom: (address: string, options: Parameters<typeof server.client>[0] = {}) =>
      server.client({ reconnection: false, ...options, extraHeaders: { ...options.extraHeaders, ...from(address) } }),
  }
}
