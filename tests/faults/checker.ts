import type { SendRefusalCode } from '../../contract/refusals.ts'
import { checkOrder } from './check-order.ts'
import { checkPositions } from './check-positions.ts'
import { checkReceipts } from './check-receipts.ts'
import type { History } from './history.ts'
import { readLedger } from './ledger.ts'
import { type Accuse, createDocket, type Verdict } from './verdict.ts'

interface CheckOptions {
  /** How many messages the log keeps: a gap over fewer is one that it could have bridged. */
  retainedMessages: number
}

const worthRepeating: string[] = ['unavailable', 'rate_limited'] satisfies SendRefusalCode[]

/** Judges a run by its histories, and by nothing else. */
export function checkHistories(histories: readonly History[], { retainedMessages }: CheckOptions): Verdict {
  const { counts, examples, accuse } = createDocket()
  const ledger = readLedger(histories)
  checkReceipts(ledger, accuse)
  checkOrder(ledger, accuse)
  checkPositions(ledger, retainedMessages, accuse)
  for (const history of histories) checkConduct(history, accuse)

  const all = histories.flatMap(({ events }) => events.map(({ type }) => type))
  return {
    guilty: Object.values(counts).some((count) => count > 0),
    sent: ledger.messages.size,
    acked: [...ledger.messages.values()].filter(({ ackedAt }) => ackedAt !== undefined).length,
    delivered: ledger.clients.reduce((sum, { receipts }) => sum + receipts.length, 0),
    resumes: all.filter((type) => type === 'resume').length,
    gaps: all.filter((type) => type === 'gap').length,
    counts,
    examples,
  }
}

function checkConduct({ name, events }: History, accuse: Accuse): void {
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'sent') open.add(event.key)
    if (event.type === 'acked' || event.type === 'abandoned') open.delete(event.key)
    if (event.type === 'refused' && !worthRepeating.includes(event.code)) {
      open.delete(event.key)
      accuse('refused', name, `${event.key}: ${event.code}`)
    }
    if (event.type === 'crashed') accuse('crashed', name, event.how)
    if (event.type === 'overdue') accuse('overdue', name, `${event.tookMs} ms`)
  }
  const plain = events[0]?.type === 'opened' && events[0].role === 'plain'
  if (!plain) for (const key of open) accuse('unsettled', name, key)
}
