import type { AuditEntry } from '../../contract/moderation.ts'
import { ruleTexts } from '../../contract/rule-texts.ts'
import { sweepHourly } from '../base/hourly-sweep.ts'
import { RejectionError } from '../base/rejection-error.ts'
import type { ClusterBus } from '../bus/cluster-bus.ts'
import { networksOf } from '../limits/addresses.ts'
import type { ModuleContext } from '../observe/module-context.ts'
import type { LogEntry, MessageSender } from '../room/message-log.ts'
import { createAccountNetworks } from './account-networks.ts'
import { viewOf } from './descriptions.ts'
import type { FoundWords } from './filter/word-filter.ts'
import { type Actor, createPerform, type ModeratedLog, whileAvailable } from './moderation-actions.ts'
import type { ChangeRecord, CommandName, ModerationStore } from './moderation-store.ts'
import { openModerationState } from './moderation-state.ts'
import { findConnectProblem, findMessageProblem, findRegistrationProblem, slowModeKey } from './policy.ts'
import { createChangePublisher } from './publish-change.ts'
import { createSlowMode, type Slot } from './slow-mode.ts'

export interface MessageCheck {
  /** Slow mode slot that the message takes; `null` if none. */
  slot: Slot | null
  /** Reason to reject the message, unless it is the repeat of a stored one. */
  problem: RejectionError<'not_allowed'> | null
}

const allowed: MessageCheck = { slot: null, problem: null }

interface ModerationDeps {
  store: ModerationStore
  log: ModeratedLog
  bus: ClusterBus
}

/** Opens moderation: roles, rules of the room, restrictions, words and the audit. */
export async function openModeration(
  { report, resources }: Pick<ModuleContext, 'report' | 'resources'>,
  { store, log, bus }: ModerationDeps,
) {
  const state = await openModerationState(store, bus, report)
  resources.defer(() => state.stop())
  const publisher = createChangePublisher(state, bus)
  resources.defer(() => publisher.stop())
  const perform = createPerform({ store, state, log, publisher })
  const slowMode = createSlowMode()
  const networks = createAccountNetworks({
    store,
    isRestricted: (accountId) => state.current().restrictions.isRestricted(accountId, state.nowMs()),
    onNoted: () => void publisher.publish(),
  })
  resources.defer(() => networks.stop())
  const sweep = sweepHourly(
    () => store.sweep(),
    (error) => report({ type: 'moderation-sweep-failed', error }),
  )
  resources.defer(sweep.stop)

  return {
    perform,

    /**
     * Checks a message against rules, words and restrictions. The returned problem applies unless the message is the
     * repeat of a stored one. Slow mode throws instead, except for a repeat of the last message of the sender.
     */
    checkMessage(
      { id, message, sender }: Pick<LogEntry, 'id' | 'message' | 'sender'>,
      connectionId: string,
    ): MessageCheck {
      const snapshot = state.current()
      const problem = findMessageProblem(snapshot, state.nowMs(), sender, message)
      if (problem !== null) return { slot: null, problem }
      const { slowModeSeconds } = snapshot.rules
      if (slowModeSeconds === 0 || (sender.accountId !== null && snapshot.moderators.has(sender.accountId)))
        return allowed
      const taken = slowMode.take(slowModeKey(sender, connectionId), id, slowModeSeconds * 1_000)
      // A repeat gets no slot, so that its rejection cannot release the slot of the first attempt.
      if (taken === 'repeated') return allowed
      if (typeof taken === 'object') return { slot: taken, problem: null }
      throw new RejectionError('rate_limited', ruleTexts.slowModeSeconds(snapshot.rules), taken)
    },
    /** Releases the slot of a message that was not stored. */
    releaseSlot: (slot: Slot) => slowMode.release(slot),

    /** Returns the reason why the client may not connect; `null` if it may. */
    findConnectProblem(clientOf: () => MessageSender, receivesMessages: boolean) {
      const snapshot = state.current()
      if (!snapshot.restrictions.hasBans) return null
      return findConnectProblem(snapshot, state.nowMs(), clientOf(), receivesMessages)
    },
    noteConnection: (accountId: string, network: string) => networks.note(accountId, network),
    /** Returns the stored networks of an account. */
    networksOf: (accountId: string) => whileAvailable(() => store.listNetworks(accountId)),
    /** Throws if this address may not register this name. */
    checkRegistration(address: string, name: string): void {
      const problem = findRegistrationProblem(state.current(), state.nowMs(), networksOf(address).address, name)
      if (problem !== null) throw problem
    },

    /**
     * Throws while the account is restricted, because its deletion would also delete the networks that the restriction
     * covers.
     */
    checkDeletion(accountId: string): void {
      if (state.current().restrictions.find({ accountId, network: '' }, 'deletingAccount', state.nowMs()) !== null)
        throw new RejectionError('forbidden', 'This account is muted or banned. Only the operator can delete it.')
    },

    isModerator: (accountId: string) => state.current().moderators.has(accountId),
    moderators: () => [...state.current().moderators].map(([id, name]) => ({ id, name })),
    rules: () => state.current().rules,
    /** Returns the state that this node has loaded. */
    snapshot: state.current,
    words: () => state.current().words,
    findWords(text: string): FoundWords {
      const { filter } = state.current()
      return filter === null ? [] : filter.find(text)
    },
    /** Returns the restrictions in effect, all or those of one account, as the operator sees them. */
    restrictions(accountId?: string) {
      return state
        .current()
        .restrictions.inEffect(state.nowMs())
        .filter((restriction) => accountId === undefined || restriction.accountId === accountId)
        .map((restriction) => viewOf(restriction, true))
    },
    /** Returns up to `limit` audit entries, newest first; with `accountId`, only those by or on it. */
    audit: (limit: number, accountId?: string): Promise<AuditEntry[]> =>
      whileAvailable(() => store.listAudit(limit, accountId)),
    /** Replaces the names of an account in the audit and in restrictions. Deletes the reasons of actions on the account. */
    async eraseNames(accountId: string): Promise<void> {
      await whileAvailable(() => store.eraseNames(accountId))
      await publisher.publish()
    },
    /** Writes the audit entry of an operator's action outside this module. The target is an account, or a name without id. */
    async recordAction(
      actor: Extract<Actor, { kind: 'operator' }>,
      { target, ...entry }: { action: CommandName; target: { id: string | null; name: string }; reason?: string },
    ): Promise<void> {
      const record: ChangeRecord = { actor, target: target.name, targetId: target.id, reason: null, ...entry }
      const outcome = await whileAvailable(() => store.apply({ type: 'record' }, record))
      if (!outcome.isDone) throw new Error(`the audit entry was rejected: ${outcome.problem}`)
    },
    /** Calls the listener after each reload, with the new and the previous snapshot. They may be equal. */
    onChange: state.onChange,
  }
}

export type Moderation = Awaited<ReturnType<typeof openModeration>>
