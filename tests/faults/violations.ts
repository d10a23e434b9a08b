/** Kinds of violations that the checker finds in the histories of a run, with their descriptions. */
export const violationDescriptions = {
  lost: 'a client did not receive an acknowledged message',
  partial: 'one client received an unacknowledged message, another did not',
  duplicate: 'a client received a message twice',
  order: 'two clients received the same messages in different orders',
  inversion: 'a message came before one that had been acknowledged before it was sent',
  replayed: 'a new client received a message that is older than the client',
  mismatch: 'one message has two positions in the log, or one position has two messages',
  phantom: 'a client received, or the log holds, a message that no client sent in this form',
  needlessGap: 'the server reported a gap although the log still held the messages',
  unreportedLoss: 'messages were lost, the server could prove it, and a client was not notified',
  silentGap: 'a connection skipped a position without reporting a gap',
  overlap: 'a connection delivered a message that the client already had, without a request to resume',
  resumeNeeded: 'a client had to request messages that its connection had skipped',
  undelivered: 'a client did not receive a message that is in the log',
  missing: 'an acknowledged message is not in the log',
  late: 'a delivery took more than 5 s on a connection without a fault',
  unacknowledged: 'a message got no acknowledgement on a connection without a fault',
  lowAckRatio: 'too few messages of one client role were acknowledged',
  neverSent: 'the user pressed Send and the client did not send the message',
  presence: 'after the run, the list of online users is wrong',
  rejected: 'a message was rejected permanently',
  pending: 'a message was neither acknowledged nor rejected at the end',
  removedText: 'a client received or shows the text of a removed message after it reconnected',
  removalNumber: 'the number of removals decreased within an epoch without a gap',
  restrictedDelivered: 'a message was delivered although a restriction or rule had rejected its sender before',
  rejectedDelivered: 'a message was rejected by a restriction or rule, but was delivered',
  revokedDelivered: 'a message was delivered that was sent with a login after its revocation',
  crashed: 'the server exited unexpectedly or with an error',
  drainTimeout: 'a drain took too long',
} as const

export type ViolationKind = keyof typeof violationDescriptions

interface Violation {
  kind: ViolationKind
  client: string
  detail: string
}

export interface CheckResult {
  hasViolations: boolean
  sent: number
  acked: number
  delivered: number
  resumes: number
  gaps: number
  counts: Record<ViolationKind, number>
  /** First few violations of each kind. */
  examples: Violation[]
}

const maxExamplesPerKind = 5

export type ReportViolation = (kind: ViolationKind, client: string, detail: string) => void

export function createViolationCollector() {
  const kinds = Object.keys(violationDescriptions)
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<ViolationKind, number>
  const examples: Violation[] = []
  const report: ReportViolation = (kind, client, detail) => {
    counts[kind]++
    if (counts[kind] <= maxExamplesPerKind) examples.push({ kind, client, detail })
  }
  return { counts, examples, report }
}
