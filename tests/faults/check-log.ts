import { mustReceive } from './check-deliveries.ts'
import type { HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/** Compares the log, read from its start after the run, with the acknowledgements and deliveries of all clients. */
export function checkLog(
  { messages, clients, stored, restoredAt, unprovableAt }: HistoryIndex,
  report: ReportViolation,
): void {
  if (stored === null) return
  const oldest = Math.min(...stored.map(({ position }) => position.seq))
  const inLog = new Map(stored.map((record) => [record.key, record]))
  if (inLog.size < stored.length) report('duplicate', 'the log', `${stored.length - inLog.size} messages`)

  const receivedBy = clients.map((client) => ({ client, keys: new Set(client.deliveries.map(({ key }) => key)) }))
  for (const { key, body, position } of stored) {
    const message = messages.get(key)
    if (message === undefined || message.body !== body) {
      report('phantom', 'the log', key)
      continue
    }
    for (const { client, keys } of receivedBy) {
      if (!keys.has(key) && mustReceive(client, { ...message, position, positions: [position] }, true))
        report('undelivered', client.name, key)
    }
  }
  const epoch = stored[0]?.position.epoch
  for (const { key, sender, sentAt, ackedAt, ackedSeqs, ackedEpoch } of messages.values()) {
    if (ackedAt === undefined || inLog.has(key)) continue
    // A restore may remove earlier messages. An acknowledgement from the previous log can arrive after the restore.
    const isFromPreviousLog = restoredAt.length > 0 && ackedEpoch !== undefined && ackedEpoch !== epoch
    const wasLostByRestore =
      isFromPreviousLog || restoredAt.some((at) => at >= ackedAt) || unprovableAt.some((at) => at >= sentAt)
    const wasTrimmed = [...ackedSeqs].some((seq) => seq < oldest)
    if (!wasLostByRestore && !wasTrimmed) report('missing', sender, key)
  }
}
