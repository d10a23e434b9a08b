import type { Cursor } from '../../contract/messages.ts'
import type { History } from './history.ts'
import type { HistoryIndex } from './history-index.ts'
import { moderationCodes, type Restriction } from './restrictions.ts'
import type { ReportViolation } from './violations.ts'

type Events = History['events']
type Sent = Extract<Events[number], { type: 'sent' }>
type Rejected = Extract<Events[number], { type: 'rejected' }>

/** Restriction with the times at which its start and its end were requested and acknowledged. */
interface Effect extends Restriction {
  requestedAt: number
  /** Time of the acknowledgement; `Infinity` if there was none. */
  ackedAt: number
  liftingAt: number
  liftedAt: number
}

export interface RestrictionFacts {
  /** Whether several nodes share the log. */
  isShared: boolean
  /** Returns the time by which all nodes apply a change that was acknowledged at `ackedAt`. */
  effectiveAt: (ackedAt: number) => number
  /** Time until every node applies the end of a restriction, including nodes that were disconnected. */
  liftedAfterMs: number
}

interface Attempts {
  first: Sent
  last: Sent
}

/**
 * Checks restrictions, rules and revoked logins: messages that they reject are not delivered, and no other message is
 * rejected.
 */
export function checkRestrictions(
  histories: readonly History[],
  { stored, restoredAt }: HistoryIndex,
  { isShared, effectiveAt, liftedAfterMs }: RestrictionFacts,
  hasExpired: (after: Cursor | undefined, at: number) => boolean,
  report: ReportViolation,
): void {
  const effects = readEffects(histories)
  const revocations = readRevocations(histories)
  const seenAt = firstSeenAt(histories)
  for (const { key } of stored ?? []) if (!seenAt.has(key)) seenAt.set(key, Infinity)

  function checkRejected(name: string, event: Rejected, { first, last }: Attempts): void {
    const isInEffect = (effect: Effect) =>
      restricts(effect, name, last) && effect.requestedAt <= event.at && last.at <= effect.liftedAt + liftedAfterMs
    const revokingAt = revocations.get(last.token ?? '')?.revokingAt ?? Infinity
    const hasReason = event.code === 'not_allowed' ? effects.some(isInEffect) : revokingAt <= event.at
    if (!hasReason) report('rejected', name, `${event.key}: ${event.code}`)
    // The log may have stored and then deleted an earlier attempt. On a cluster, another node may store an earlier attempt later.
    const isOnlyAttempt = first === last || (!isShared && !hasExpired(first.after, event.at))
    if (event.code === 'not_allowed' && isOnlyAttempt && seenAt.has(event.key))
      report('rejectedDelivered', name, event.key)
  }

  /**
   * Checks that a message was not delivered if a restriction or a revocation was in effect at its first attempt. Later
   * attempts prove nothing, because the server may have received an earlier attempt before the restriction.
   */
  function checkRestricted(name: string, { first }: Attempts): void {
    const at = seenAt.get(first.key)
    if (at === undefined) return
    const wasInEffect = (effect: Effect) =>
      restricts(effect, name, first) && first.at > effectiveAt(effect.ackedAt) && at < effect.liftingAt
    if (effects.some(wasInEffect)) report('restrictedDelivered', name, first.key)
    const revokedAt = revocations.get(first.token ?? '')?.revokedAt ?? Infinity
    // A restored log may lack the cluster event of a revocation.
    if (first.at > revokedAt && restoredAt.length === 0) report('revokedDelivered', name, first.key)
  }

  for (const { name, events } of histories) {
    const attempts = new Map<string, Attempts>()
    for (const event of events) {
      if (event.type === 'sent')
        attempts.set(event.key, { first: attempts.get(event.key)?.first ?? event, last: event })
      const attempt = 'key' in event ? attempts.get(event.key) : undefined
      if (event.type === 'rejected' && moderationCodes.includes(event.code) && attempt !== undefined)
        checkRejected(name, event, attempt)
    }
    for (const attempt of attempts.values()) checkRestricted(name, attempt)
  }
}

/**
 * Returns a function that gives the end of the first period of `faultFreeMs` without a fault after the acknowledgement.
 */
export function effectiveWithoutFaults(
  histories: readonly History[],
  faultFreeMs: number,
): RestrictionFacts['effectiveAt'] {
  const isServer = ({ events: [first] }: History) => first?.type === 'opened' && first.role === 'server'
  const faults = histories.filter(isServer).flatMap(faultIntervals)
  const sorted = faults.toSorted((a, b) => a.from - b.from)
  return (ackedAt) => {
    let faultFreeSince = ackedAt
    for (const { from, to } of sorted)
      if (from < faultFreeSince + faultFreeMs && to > faultFreeSince) faultFreeSince = to
    return faultFreeSince + faultFreeMs
  }
}

function faultIntervals({ events }: History): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  for (const event of events) {
    if (event.type !== 'fault') continue
    if (event.isActive) found.push({ from: event.at, to: Infinity })
    else for (const fault of found) fault.to = Math.min(fault.to, event.at)
  }
  return found
}

/** Returns whether the restriction or rule rejects the message. Slow mode does not count: the client retries, so the message is only delayed. */
function restricts({ rule, client }: Restriction, sender: string, { contains, token }: Sent): boolean {
  switch (rule) {
    case 'mute':
    case 'ban':
      return client === sender
    case 'read-only':
      return true
    case 'accounts-only':
      return token === undefined
    case 'links-off':
      return contains === 'link'
    case 'word':
      return contains === 'word'
    case 'slow-mode':
      return false
  }
}

function readEffects(histories: readonly History[]): Effect[] {
  const effects = new Map<string, Effect>()
  const unset = { ackedAt: Infinity, liftingAt: Infinity, liftedAt: Infinity }
  for (const event of histories.flatMap(({ events }) => events)) {
    if (event.type === 'restricting') {
      const { type: _, at, ...restriction } = event
      effects.set(event.id, { ...restriction, requestedAt: at, ...unset })
    }
    const effect = 'id' in event ? effects.get(event.id) : undefined
    if (effect === undefined) continue
    if (event.type === 'restricted') effect.ackedAt = event.at
    if (event.type === 'lifting') effect.liftingAt = event.at
    if (event.type === 'lifted') effect.liftedAt = event.at
  }
  return [...effects.values()]
}

function readRevocations(histories: readonly History[]): Map<string, { revokingAt: number; revokedAt: number }> {
  const revocations = new Map<string, { revokingAt: number; revokedAt: number }>()
  for (const event of histories.flatMap(({ events }) => events)) {
    if (event.type !== 'revoking' && event.type !== 'revoked') continue
    const { revokingAt, revokedAt } = revocations.get(event.token) ?? { revokingAt: Infinity, revokedAt: Infinity }
    const isDone = event.type === 'revoked'
    revocations.set(event.token, {
      revokingAt: Math.min(revokingAt, event.at),
      revokedAt: isDone ? Math.min(revokedAt, event.at) : revokedAt,
    })
  }
  return revocations
}

/** Returns the time of the first acknowledgement or delivery of each message. */
function firstSeenAt(histories: readonly History[]): Map<string, number> {
  const seenAt = new Map<string, number>()
  const isProof = (event: Events[number]) => event.type === 'acked' || event.type === 'received'
  for (const event of histories.flatMap(({ events }) => events.filter(isProof))) {
    if ('key' in event) seenAt.set(event.key, Math.min(seenAt.get(event.key) ?? Infinity, event.at))
  }
  return seenAt
}
