import { noRules } from '../../../contract/constants.ts'
import type { RoomRules } from '../../../contract/moderation.ts'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import {
  type ChangeOutcome,
  type ChangeProblem,
  type ChangeRecord,
  maxFilteredWords,
  maxRestrictions,
  type ModerationChange,
  type NewRestriction,
  operatorName,
  type StoredActor,
} from '../../moderation/moderation-store.ts'
import type { AccountTables } from './account-tables.ts'
import { announcementKey } from './moderation-tables.ts'

type Trx = Transaction<AccountTables>
type Clock = RawBuilder<number>

export const ruleNames = Object.keys(noRules) as (keyof RoomRules)[]

const problem = (reason: ChangeProblem) => ({ isDone: false, problem: reason }) as const
const done = { isDone: true, endsAtMs: null, hasWithdrawnRole: false } as const

/** Applies a change and writes its audit entry in one transaction. The transaction also checks the role of the actor. */
export async function applyChange(
  trx: Trx,
  clockMs: Clock,
  change: ModerationChange,
  record: ChangeRecord,
): Promise<ChangeOutcome> {
  const { actor } = record
  if (!(await isAllowed(trx, clockMs, actor))) return problem('no_role')
  const { outcome, target = record.target, targetId = record.targetId } = await store(trx, clockMs, change, actor)
  if (!outcome.isDone) return outcome
  await trx
    .insertInto('moderation_audit')
    .values({
      at_ms: clockMs,
      actor: actor.kind === 'operator' ? operatorName : actor.name,
      actor_id: actor.kind === 'operator' ? null : actor.accountId,
      action: record.action,
      target,
      target_id: targetId,
      reason: record.reason,
      ends_at_ms: outcome.endsAtMs,
    })
    .execute()
  return outcome
}

/** Returns whether the actor is the operator, or a moderator with a valid session. */
export async function isAllowed(db: Kysely<AccountTables>, clockMs: Clock, actor: StoredActor): Promise<boolean> {
  if (actor.kind === 'operator') return true
  const row = await db
    .selectFrom('moderators')
    .innerJoin('tokens', 'tokens.user_id', 'moderators.user_id')
    .select('moderators.user_id')
    .where('moderators.user_id', '=', actor.accountId)
    .where('tokens.hash', '=', actor.tokenHash)
    .where('tokens.expires_at_ms', '>', clockMs)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores the change. `target` and `targetId` replace those of the record if only the store can determine them. */
async function store(
  trx: Trx,
  clockMs: Clock,
  change: ModerationChange,
  actor: StoredActor,
): Promise<{ outcome: ChangeOutcome; target?: string; targetId?: string | null }> {
  switch (change.type) {
    case 'restrict':
      return { outcome: await restrict(trx, clockMs, change.restriction, change.durationMs, actor) }
    case 'end-restriction': {
      const ended = await trx
        .deleteFrom('restrictions')
        .where('id', '=', change.id)
        .returning(['kind', 'name', 'account_id'])
        .executeTakeFirst()
      if (ended === undefined) return { outcome: problem('not_found') }
      return { outcome: done, target: endedTarget(ended.kind, ended.name), targetId: ended.account_id }
    }
    case 'set-rules':
      for (const key of ruleNames) if (change.rules[key] !== undefined) await setValue(trx, key, change.rules[key])
      return { outcome: done }
    case 'announce':
      await setValue(trx, announcementKey, change.announcement)
      return { outcome: done }
    case 'add-moderator':
      return { outcome: await addModerator(trx, change.accountId) }
    case 'remove-moderator':
      return { outcome: (await removeModerator(trx, change.accountId)) ? done : problem('not_found') }
    case 'add-word': {
      const { word, inside } = change.word
      if (!(await hasWord(trx, word)) && (await countRows(trx, 'filtered_words')) >= maxFilteredWords)
        return { outcome: problem('too_many') }
      await trx
        .insertInto('filtered_words')
        .values({ word, inside: inside ? 1 : 0 })
        .onConflict((conflict) => conflict.column('word').doUpdateSet({ inside: inside ? 1 : 0 }))
        .execute()
      return { outcome: done }
    }
    case 'remove-word': {
      const removed = await trx
        .deleteFrom('filtered_words')
        .where('word', '=', change.word)
        .returning('word')
        .executeTakeFirst()
      return { outcome: removed === undefined ? problem('not_found') : done }
    }
    case 'record':
      return { outcome: done }
    default:
      return change satisfies never
  }
}

async function restrict(
  trx: Trx,
  clockMs: Clock,
  { id, kind, accountId, network, includesLoopback, name, reason }: NewRestriction,
  durationMs: number | null,
  actor: StoredActor,
): Promise<ChangeOutcome> {
  // Ended restrictions must not count against the maximum.
  await deleteEndedRestrictions(trx, clockMs)
  if ((await countRows(trx, 'restrictions')) >= maxRestrictions) return problem('too_many')
  const isModerator = accountId !== null && (await isModeratorRow(trx, accountId))
  if (isModerator && actor.kind !== 'operator') return problem('is_moderator')
  const hasWithdrawnRole = isModerator && (await removeModerator(trx, accountId))
  const endsAtMs = durationMs === null ? null : sql<number>`${clockMs} + ${sql.lit(durationMs)}`
  const stored = await trx
    .insertInto('restrictions')
    .values({
      id,
      kind,
      account_id: accountId,
      network,
      includes_loopback: includesLoopback ? 1 : 0,
      name,
      reason,
      created_at_ms: clockMs,
      ends_at_ms: endsAtMs,
    })
    .returning('ends_at_ms')
    .executeTakeFirstOrThrow()
  return { isDone: true, endsAtMs: stored.ends_at_ms, hasWithdrawnRole }
}

export async function deleteEndedRestrictions(db: Kysely<AccountTables>, clockMs: Clock): Promise<void> {
  await db.deleteFrom('restrictions').where('ends_at_ms', '<=', clockMs).execute()
}

async function addModerator(trx: Trx, accountId: string): Promise<ChangeOutcome> {
  const account = await trx.selectFrom('users').select('id').where('id', '=', accountId).executeTakeFirst()
  if (account === undefined) return problem('not_found')
  await trx
    .insertInto('moderators')
    .values({ user_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return done
}

async function isModeratorRow(trx: Trx, accountId: string): Promise<boolean> {
  const row = await trx.selectFrom('moderators').select('user_id').where('user_id', '=', accountId).executeTakeFirst()
  return row !== undefined
}

async function removeModerator(trx: Trx, accountId: string): Promise<boolean> {
  const removed = await trx
    .deleteFrom('moderators')
    .where('user_id', '=', accountId)
    .returning('user_id')
    .executeTakeFirst()
  return removed !== undefined
}

async function setValue(trx: Trx, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value)
  await trx
    .insertInto('room_values')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
    .execute()
}

async function hasWord(trx: Trx, word: string): Promise<boolean> {
  const row = await trx.selectFrom('filtered_words').select('word').where('word', '=', word).executeTakeFirst()
  return row !== undefined
}

async function countRows(trx: Trx, table: 'filtered_words' | 'restrictions'): Promise<number> {
  const { rows } = await trx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/** Returns the target of the audit entry for the end of a restriction. `name` is empty if the operator named a network. */
function endedTarget(kind: string, name: string): string {
  return `${kind} of ${name === '' ? 'a network' : name}`
}
