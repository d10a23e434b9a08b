import type { Dialect, DialectName, DialectOptions } from './dialect.ts'
import { createNatsDialect } from './nats-dialect.ts'
import { createRawDialect, createCountedDialect } from './plain-dialects.ts'
import { createAppDialect, createSocketioDialect } from './socketio-dialect.ts'

export const nchanPath = '/room'

const factories: Record<DialectName, (options: DialectOptions) => Dialect> = {
  app: createAppDialect,
  socketio: createSocketioDialect,
  raw: createRawDialect,
  counted: createCountedDialect,
  nats: createNatsDialect,
  nchan: (options) => createRawDialect(options, nchanPath),
}

export function createDialect(name: DialectName, options: DialectOptions): Dialect {
  return factories[name](options)
}
