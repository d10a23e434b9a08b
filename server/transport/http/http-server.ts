import helmet from '@fastify/helmet'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { maxHttpBodyBytes } from '../../../contract/limits.ts'
import type { Report } from '../../observe/events.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { serveApiDescription } from './api-description.ts'
import { rejectMalformedRequest } from './protection/malformed-requests.ts'
import type { ClientAddress } from './client-address.ts'
import { sendErrors } from './errors.ts'
import type { RequestCost } from './protection/request-cost.ts'
import { rejectRaw } from './protection/raw-rejection.ts'
import { parseJsonBodies } from './json-bodies.ts'
import { schemaController } from './schema-compilers.ts'

export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 20_000
/**
 * Interval at which Node checks the timeouts. With Node's default of 30 s, a client that sends its headers slowly would
 * get up to four times `headersTimeoutMs`.
 */
const checkTimeoutsEveryMs = 2_000
export const maxHeaderBytes = 16 * 1_024
const hstsSeconds = 365 * 24 * 3_600

interface HttpServerDeps {
  /** Logger for Fastify's own lines. */
  log: Logger
  report: Report
  isSecure: ClientAddress['isSecure']
  /** Measures the parsing of bodies and the handlers that follow. */
  measure: RequestCost['measure']
}

/** Creates Fastify with the limits and headers of this server. Its only route is the API description. */
export async function createHttpServer({ log, report, isSecure, measure }: HttpServerDeps): Promise<FastifyInstance> {
  // Use the type of Fastify's logger: with pino's type, the instance would not match the type that plugins expect.
  const logger: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxHttpBodyBytes,
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkTimeoutsEveryMs,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      // Node would reject a request without Host before any limit applies. `request-heads.ts` rejects it instead.
      requireHostHeader: false,
    },
    forceCloseConnections: true,
    return503OnClosing: true,
    schemaController,
    clientErrorHandler: rejectMalformedRequest,
    frameworkErrors: (_error, request, reply) =>
      rejectRaw(request.raw, reply.raw, new RejectionError('invalid', 'The path is not valid.')),
  })
  sendErrors(app, report)
  parseJsonBodies(app, measure)
  app.addHook('onRequest', async (request, reply) => {
    if (isSecure(request.raw)) reply.header('Strict-Transport-Security', `max-age=${hstsSeconds}`)
  })
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        connectSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  })
  serveApiDescription(app)
  return app
}
