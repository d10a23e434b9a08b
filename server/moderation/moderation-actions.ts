import { randomUUID } from 'node:crypto'
import type {
  AuditAction,
  ModerationAck,
  ModerationOverview,
  ModerationRejectionCode,
  ModeratorAction,
  RestrictionKind,
} from '../../contract/moderation.ts'
import type { Account } from '../accounts/account-store.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { StorageError } from '../base/storage-error.ts'
import { unknownAddress } from '../limits/addresses.ts'
import type {
  ChangeOutcome,
  ChangeProblem,
  ChangeRecord,
  ModerationChange,
  ModerationStore,
  NewRestriction,
  StoredActor,
} from './moderation-store.ts'
import type { ModerationState } from './moderation-state.ts'
import { minPrefixBits, parseNetwork, rejectSharedNetwork } from './networks.ts'
import { describeMessages, describeRules, describeTarget, shownAs, viewOf } from './descriptions.ts'
import type { MessageLog, StoredSender } from '../room/message-log.ts'
import { announcementOf, checkedWord } from './filter/checked-texts.ts'
import { rejection } from './moderation-rejection.ts'

export type Actor = StoredActor

interface RestrictOptions {
  /** Duration in minutes; `null` means without end. */
  minutes: number | null
  reason?: string | undefined
  loopback?: boolean
}

interface Restrict extends RestrictOptions {
  type: 'restrict'
  kind: RestrictionKind
  target: { senderOf: number } | { account: Account } | { network: string }
}

/** Action of the operator, in addition to those of moderators. */
export type OperatorAction =
  | Restrict
  | { type: 'remove-sender'; senderOf: number; loopback: true }
  | { type: 'add-moderator'; account: Account }
  | { type: 'remove-moderator'; account: Account }
  | { type: 'add-word'; word: string; inside?: boolean }
  | { type: 'remove-word'; word: string }
  /** Announces a text; `null` ends the announcement. */
  | { type: 'announce'; text: string | null }

/** Result of an action: the ack and, for the operator, sometimes a text to print. */
export type ActionResult = Extract<ModerationAck, { ok: true }> & { notice?: string }

/** Part of the message log that moderation uses. */
export type ModeratedLog = Pick<MessageLog, 'remove' | 'senderOf' | 'seqsOfSender'>

interface ActionDeps {
  store: ModerationStore
  state: ModerationState
  log: ModeratedLog
  /** Makes a stored change effective on every node. */
  publisher: { publish: () => Promise<void> }
}

const listedActions = 100
const minuteMs = 60_000

const problems: Readonly<Record<ChangeProblem, readonly [ModerationRejectionCode, string]>> = {
  no_role: ['not_allowed', 'You are not a moderator.'],
  is_moderator: ['not_allowed', 'Moderators cannot be muted or banned by moderators.'],
  not_found: ['not_found', 'This entry no longer exists. Open the list again.'],
  too_many: ['not_allowed', 'The list is full. Remove an entry first.'],
}

/**
 * Creates the function that performs each action of moderators and of the operator. The function rejects with a
 * `RejectionError` if the actor does not have the role, the action is not possible, or the storage is unavailable.
 */
export function createPerform({ store, state, log, publisher }: ActionDeps) {
  async function apply(
    change: ModerationChange,
    record: ChangeRecord,
  ): Promise<Extract<ChangeOutcome, { isDone: true }>> {
    const outcome = await store.apply(change, { ...record, actor: shownAs(record.actor) })
    if (!outcome.isDone) throw rejection(...problems[outcome.problem])
    if (change.type !== 'record') await publisher.publish()
    return outcome
  }

  /** Removes messages. Writes the audit entry first, so that no message is removed while the audit cannot be written. */
  async function remove(seqs: readonly number[], record: ChangeRecord): Promise<ActionResult> {
    await apply({ type: 'record' }, record)
    return { ok: true, removed: (await log.remove(seqs)).length }
  }

  async function senderOf(seq: number): Promise<StoredSender & { username: string }> {
    const sender = await log.senderOf(seq)
    if (sender === null) throw rejection('not_found', `The log has no message ${seq}.`)
    return sender
  }

  async function targetOf(target: Restrict['target']): Promise<Pick<NewRestriction, 'accountId' | 'network' | 'name'>> {
    if ('account' in target) return { accountId: target.account.id, network: null, name: target.account.name }
    if ('senderOf' in target) {
      const { accountId, network, username: name } = await senderOf(target.senderOf)
      // The unknown address is not a network of the account, because all clients without a known address share it.
      if (accountId !== null && network === unknownAddress) return { accountId, network: null, name }
      return { accountId, network, name }
    }
    const network = parseNetwork(target.network)
    if (network === null)
      throw rejection(
        'invalid',
        `'${target.network}' is not a network. Give an IP address or a CIDR range from /${minPrefixBits.ipv4} (IPv4) or /${minPrefixBits.ipv6} (IPv6) on. Give IPv4 addresses in IPv4 form: an IPv6 range must not contain ::/64.`,
      )
    return { accountId: null, network, name: '' }
  }

  async function restrict(
    actor: Actor,
    kind: RestrictionKind,
    target: Restrict['target'],
    { minutes, reason, loopback }: RestrictOptions,
  ): Promise<ActionResult> {
    const aim = await targetOf(target)
    const includesLoopback = loopback === true
    rejectSharedNetwork(aim, includesLoopback)
    const restriction = {
      ...aim,
      id: randomUUID(),
      kind,
      includesLoopback,
      reason: reason === undefined || reason.trim() === '' ? null : reason.trim(),
    } as NewRestriction
    const { endsAtMs, hasWithdrawnRole } = await apply(
      { type: 'restrict', restriction, durationMs: minutes === null ? null : minutes * minuteMs },
      {
        actor,
        action: kind,
        target: describeTarget(restriction, false),
        targetId: restriction.accountId,
        reason: restriction.reason,
      },
    )
    return {
      ok: true,
      restriction: viewOf({ ...restriction, endsAtMs }, actor.kind === 'operator'),
      ...(hasWithdrawnRole ? { notice: `${restriction.name} is no longer a moderator.` } : {}),
    }
  }

  async function perform(actor: Actor, action: ModeratorAction | OperatorAction): Promise<ActionResult> {
    const record = (type: AuditAction, target: string, targetId: string | null = null): ChangeRecord => {
      return { actor, action: type, target, targetId, reason: null }
    }
    switch (action.type) {
      case 'remove':
        return remove(action.seqs, record(action.type, describeMessages(action.seqs)))
      case 'remove-sender': {
        const sender = await senderOf(action.senderOf)
        rejectSharedNetwork(sender, 'loopback' in action)
        const name = describeTarget({ ...sender, name: sender.username }, false)
        return remove(await log.seqsOfSender(sender), record(action.type, name, sender.accountId))
      }
      case 'mute':
      case 'ban': {
        const { minutes, reason } = action
        return restrict(actor, action.type, { senderOf: action.senderOf }, { minutes, reason })
      }
      case 'restrict':
        return restrict(actor, action.kind, action.target, action)
      case 'end-restriction':
        await apply({ type: 'end-restriction', id: action.id }, record(action.type, action.id))
        return { ok: true }
      case 'set-rules':
        await apply({ type: 'set-rules', rules: action.rules }, record(action.type, describeRules(action.rules)))
        return { ok: true }
      case 'overview':
        return { ok: true, overview: await overview(actor) }
      case 'add-moderator':
      case 'remove-moderator':
        await apply(
          { type: action.type, accountId: action.account.id },
          record(action.type, action.account.name, action.account.id),
        )
        return { ok: true }
      case 'add-word': {
        const word = checkedWord(action.word)
        await apply({ type: 'add-word', word: { word, inside: action.inside === true } }, record(action.type, word))
        return { ok: true }
      }
      case 'remove-word':
        await apply({ type: 'remove-word', word: action.word.trim() }, record(action.type, action.word.trim()))
        return { ok: true }
      case 'announce':
        await apply(
          { type: 'announce', announcement: announcementOf(action.text) },
          record(action.type, 'announcement'),
        )
        return { ok: true }
      default:
        return action satisfies never
    }
  }

  async function overview(actor: Actor): Promise<ModerationOverview> {
    const { rules, restrictions } = state.current()
    const inEffect = restrictions.inEffect(state.nowMs())
    const audit = await store.listAudit(listedActions)
    return { rules, restrictions: inEffect.map((item) => viewOf(item, actor.kind === 'operator')), audit }
  }

  return async (actor: Actor, action: ModeratorAction | OperatorAction): Promise<ActionResult> => {
    if (actor.kind === 'operator') return whileAvailable(() => perform(actor, action))
    if (!state.current().moderators.has(actor.accountId)) throw rejection(...problems.no_role)
    return whileAvailable(async () => {
      // Another node may have withdrawn the role a moment ago. Changes check it again in their transaction.
      if (!(await store.isAllowed(actor))) throw rejection(...problems.no_role)
      return perform(actor, action)
    })
  }
}

/** Runs `work` and turns an outage of the storage into a rejection. */
export async function whileAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    const code: ModerationRejectionCode = 'unavailable'
    throw new RejectionError(code, 'The storage is not available. Please try again later.', 1_000, error)
  }
}
