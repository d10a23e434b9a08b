import type { ModuleContext } from '../../observe/module-context.ts'
import { createAckBatch } from '../fast-path/ack-batch.ts'
import { detectCapabilities } from '../fast-path/library-internals.ts'
import { createSocketWriter } from '../fast-path/socket-writer.ts'
import { createDelivery } from './connection.ts'
import { createGuardedWriter } from './guarded-writer.ts'

/**
 * Creates the writers through which the room reaches connections, and reports missing library internals. Tests hide
 * internals to test the slow path.
 */
export function openDelivery({ report, resources }: ModuleContext, hiddenInternals: readonly string[]) {
  const { missing, capabilities } = detectCapabilities(hiddenInternals)
  if (missing.length > 0) report({ type: 'fast-path-disabled', missing })
  const socketWriter = createSocketWriter(capabilities)
  const writer = createGuardedWriter(socketWriter, report)
  resources.defer(writer.stop)
  return { capabilities, socketWriter, writer, acks: createAckBatch(capabilities), delivery: createDelivery(writer) }
}

export type OpenedDelivery = ReturnType<typeof openDelivery>
