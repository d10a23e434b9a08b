import { createByteBudget } from '../../limits/byte-budget.ts'
import type { ModuleContext } from '../../observe/module-context.ts'
import { createAckBatch } from '../fast-path/ack-batch.ts'
import { detectFastPath } from '../fast-path/library-internals.ts'
import { createSocketWriter } from '../fast-path/socket-writer.ts'
import { createDelivery } from './connection.ts'
import { createGuardedWriter } from './guarded-writer.ts'

/**
 * Creates the writers through which the room reaches connections, and reports missing library internals. Tests hide
 * internals to test the slow path.
 */
export function openDelivery({ settings, report, resources }: ModuleContext, hiddenInternals: readonly string[]) {
  const { missing, hasFastPath } = detectFastPath(hiddenInternals)
  if (missing.length > 0) report({ type: 'fast-path-disabled', missing })
  const socketWriter = createSocketWriter(hasFastPath)
  const writer = createGuardedWriter(socketWriter, report)
  resources.defer(writer.stop)
  return {
    hasFastPath,
    socketWriter,
    writer,
    acks: createAckBatch(hasFastPath),
    delivery: createDelivery(writer, createByteBudget(settings.maxConnectionsPerIp)),
  }
}

export type OpenedDelivery = ReturnType<typeof openDelivery>
