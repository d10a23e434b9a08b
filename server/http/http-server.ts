import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { maxHttpBodyBytes } from '../../contract/limits.ts'
import { apiDescriptionPath } from '../../contract/routes.ts'
import { answerErrors } from './errors.ts'

const headersTimeoutMs = 10_000
const requestTimeoutMs = 20_000

/** Fastify with our limits and headers; the routes are added by whoever has them. */
export async function createHttpServer(log: Logger, trustProxy: string[]): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxHttpBodyBytes,
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs },
    forceCloseConnections: true,
    return503OnClosing: true,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: true } },
  })
  answerErrors(app)
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
  await app.register(swagger, {
    openapi: { info: { title: 'Chat Room', version: '1.0.0', description: 'The calls of the chat room.' } },
  })
  app.get(apiDescriptionPath, { schema: { hide: true } }, async () => app.swagger())
  return app
}
