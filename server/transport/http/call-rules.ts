import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { accountPath, type CallPath, callPaths, routes } from '../../../contract/routes.ts'
import { overloaded } from '../../base/common-rejections.ts'
import type { PressureWatch } from '../../limits/event-loop-pressure.ts'
import { allowOrigins } from './cross-origin.ts'
import type { OriginCheck } from './origins.ts'

interface CallRule {
  /**
   * Methods of the calls at the path. Under load, the server rejects a request with a `shed` method before it reads the
   * body: open connections have priority.
   */
  methods: Readonly<Partial<Record<string, 'shed' | 'serve'>>>
  /** Text for the client and event for the log when the storage fails. */
  storageFailure: { text: string; event: 'account-request-failed' }
}

const accountsFailure = {
  text: 'Accounts are not available at the moment. Please try again later.',
  event: 'account-request-failed',
} as const

const callRules: Readonly<Record<CallPath, CallRule>> = {
  [routes.register]: { methods: { POST: 'shed' }, storageFailure: accountsFailure },
  [routes.login]: { methods: { POST: 'shed', DELETE: 'serve' }, storageFailure: accountsFailure },
  [routes.users]: { methods: { GET: 'serve' }, storageFailure: accountsFailure },
  [accountPath]: { methods: { DELETE: 'shed' }, storageFailure: accountsFailure },
}

/** Returns the rule of the path of a request; `undefined` if it is not a path of calls. */
export const ruleOf = ({ routeOptions: { url = '' } }: FastifyRequest): CallRule | undefined => ruleAt(url)

function ruleAt(path: string): CallRule | undefined {
  const rules: Readonly<Record<string, CallRule | undefined>> = callRules
  return rules[path]
}

/** Throws if a call has no rule: under load it would be served, and preflight responses would not allow it. */
function requireRule({ url, method }: RouteOptions): void {
  for (const one of [method].flat()) {
    // Fastify adds HEAD to each GET.
    const ruled = one === 'HEAD' ? 'GET' : one
    if (ruleAt(url)?.methods[ruled] === undefined) throw new Error(`call-rules.ts has no rule for ${one} ${url}`)
  }
}

/**
 * Applies the rules to the calls of this scope, and throws if a call that is added later has none. Rejects calls whose
 * `Origin` is not allowed, and prevents the caching of responses.
 */
export function applyCallRules(
  scope: FastifyInstance,
  isAllowedOrigin: OriginCheck,
  pressure: Pick<PressureWatch, 'level'>,
): void {
  allowOrigins(
    scope,
    isAllowedOrigin,
    callPaths.map((path) => ({ path, methods: Object.keys(callRules[path].methods) })),
  )
  // Add this hook after the call of `allowOrigins`, because its OPTIONS routes need no rules.
  scope.addHook('onRoute', requireRule)
  scope.addHook('onRequest', async (request, reply) => {
    const { method } = request
    if (pressure.level() !== 'none' && ruleOf(request)?.methods[method] === 'shed') throw overloaded()
    // Responses to DELETE and OPTIONS are never cached.
    if (method !== 'DELETE' && method !== 'OPTIONS') reply.header('Cache-Control', 'no-store')
  })
}
