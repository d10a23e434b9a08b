import { mustReceive } from './check-deliveries.ts'
import type { HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/** The log, read from its start when all is over, against what everybody was told and shown. */
export function checkLog({ messages, clients, stored, restoredAt }: HistoryIndex, report: ReportViolation): void {
  if (stored === null) return
  const oldest = Math.min(...stored.map(({ position }) => position.seq))
  const inLog = new Map(stored.map((record) => [record.key, record]))
  if (inLog.size < stored.length) report('doubled', 'the log', `${stored.length - inLog.size} messages`)

  const shownTo = clients.map((client) => ({ client, shown: new Set(client.deliveries.map(({ key }) => key)) }))
  for (const { key, body, position } of stored) {
    const message = messages.get(key)
    if (message === undefined || message.body !== body) {
      report('phantom', 'the log', key)
      continue
    }
    for (const { client, shown } of shownTo) {
      if (!shown.has(key) && mustReceive(client, { ...message, position: position }))
        report('unshown', client.name, key)
    }
  }
  const epoch = stored[0]?.position.epoch
  for (const { key, sender, ackedAt, ackedSeqs, ackedEpoch } of messages.values()) {
    if (ackedAt === undefined || inLog.has(key)) continue
    // What was there before an older state was put back may be gone; what the retention dropped is.
    // An answer may have been on its way for longer than that: then it was given by a log that is no more.
    const ofAnotherLog = restoredAt.length > 0 && ackedEpoch !== undefined && ackedEpoch !== epoch
    const restoredAway = ofAnotherLog || restoredAt.some((at) => at >= ackedAt)
    const trimmed = [...ackedSeqs].some((seq) => seq < oldest)
    if (!restoredAway && !trimmed) report('missing', sender, key)
  }
}
