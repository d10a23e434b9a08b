/** What a run can be guilty of. */
export const violationDescriptions = {
  lost: 'an acknowledged message is missing at a client that is owed it',
  torn: 'a message that one client was shown is missing at another that is owed it',
  doubled: 'a client was shown a message twice',
  order: 'two clients were shown the same messages in different orders',
  inversion: 'a message came before one that had been acknowledged before it was sent',
  replayed: 'a fresh page was shown what had been said before it was opened',
  mismatch: 'two places in the log for one message, or two messages in one place',
  phantom: 'a message that nobody sent in this form',
  gap: 'a gap was declared that the log could have bridged',
  hole: 'a connection skipped a place in the log without saying so',
  overlap: 'a connection brought what the client already had, though it had asked for nothing',
  skipped: 'a client had to ask for what its connection left out',
  unshown: 'a message is in the log and was never shown to a client that is owed it',
  missing: 'an acknowledged message is not in the log',
  late: 'a message took more than 5 s on a connection that nothing disturbed',
  unanswered: 'a message got no answer on a connection that nothing disturbed',
  starved: 'too few of the messages of one kind of client were acknowledged',
  vanished: 'Send was pressed, and nothing came of it',
  presence: 'at rest, the list of who is online is not who is online',
  refused: 'a message was refused for good',
  unsettled: 'a message has neither been acknowledged nor refused in the end',
  crashed: 'the server ended by itself, or badly',
  overdue: 'a drain took too long',
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
  /** The first few of each charge. */
  examples: Violation[]
}

const maxExamplesPerKind = 5

export type ReportViolation = (charge: ViolationKind, client: string, detail: string) => void

export function createViolationCollector() {
  const counts = Object.fromEntries(Object.keys(violationDescriptions).map((charge) => [charge, 0])) as Record<
    ViolationKind,
    number
  >
  const examples: Violation[] = []
  const report: ReportViolation = (kind, client, detail) => {
    counts[kind]++
    if (counts[kind] <= maxExamplesPerKind) examples.push({ kind, client, detail })
  }
  return { counts, examples, report }
}
