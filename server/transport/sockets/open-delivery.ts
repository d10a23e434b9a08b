import type { ModuleContext } from '../../observe/module-context.ts'
import { createAckBatch } from '../fast-path/ack-batch.ts'
import { detectCapabilities } from '../fast-path/detect-capabilities.ts'
import { createSocketWriter } from '../fast-path/socket-writer.ts'
import { createDelivery } from './connection.ts'
import { createGuardedWriter } from './guarded-writer.ts'

/** Creates the writers through which the room reaches connections. Tests hide library internals to test the slow path. */
export function openDelivery({ report, resources }: ModuleContext, hiddenInternals: readonly string[]) {
  const capabilities = detectCapabilities(hiddenInternals, report)
  const socketWriter = createSocketWriter(capabilities)
  const writer = createGuardedWriter(socketWriter, report)
  resources.defer(writer.stop)
  return { capabilities, socketWriter, writer, acks: createAckBatch(capabilities), delivery: createDelivery(writer) }
}

export type OpenedDelivery = ReturnType<typeof openDelivery>
