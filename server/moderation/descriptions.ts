import { noRules } from '../../contract/constants.ts'
import type { RestrictionView, RoomRules } from '../../contract/moderation.ts'
import { lookKey } from '../accounts/names/name-key.ts'
import { erasedName, operatorName, type StoredActor, type StoredRestriction } from './moderation-store.ts'
import { shortNetwork } from './networks.ts'

/** Maximum number of seqs that an audit entry lists. */
const maxListedSeqs = 20

/**
 * Returns the name of a moderator as the audit shows it. A suffix distinguishes an account whose name looks like that
 * of the operator or of an erased user.
 */
function shownActor(name: string): string {
  const look = lookKey(name)
  return [operatorName, erasedName].some((other) => lookKey(other) === look) ? `${name} (account)` : name
}

/** Returns the actor with the name that the audit shows. */
export const shownAs = (actor: StoredActor): StoredActor =>
  actor.kind === 'operator' ? actor : { ...actor, name: shownActor(actor.name) }

/** Returns the description of a target. Only the operator sees whole networks. */
export function describeTarget(
  { accountId, network, name }: { accountId: string | null; network: string | null; name: string },
  isForOperator: boolean,
): string {
  if (accountId !== null || network === null) return name
  const place = isForOperator ? network : shortNetwork(network)
  return name === '' ? place : `${name}, ${place}`
}

/** Returns a restriction as moderators or the operator see it. */
export function viewOf(
  restriction: Omit<StoredRestriction, 'accountNetworks'>,
  isForOperator: boolean,
): RestrictionView {
  const { id, kind, reason, endsAtMs } = restriction
  return { id, kind, target: describeTarget(restriction, isForOperator), reason, endsAtMs }
}

export function describeMessages(seqs: readonly number[]): string {
  const listed = seqs.slice(0, maxListedSeqs).join(', ')
  const others = seqs.length - maxListedSeqs
  return `${seqs.length === 1 ? 'message' : 'messages'} ${listed}${others > 0 ? ` and ${others} more` : ''}`
}

const onOff = (isOn: boolean) => (isOn ? 'on' : 'off')

/** Name and value of each rule, as the command line and the audit write them. */
export const ruleTexts: Readonly<Record<keyof RoomRules, { name: string; valueIn: (rules: RoomRules) => string }>> = {
  slowModeSeconds: {
    name: 'slow-mode',
    valueIn: ({ slowModeSeconds }) => (slowModeSeconds === 0 ? 'off' : `${slowModeSeconds}`),
  },
  accountsOnly: { name: 'accounts-only', valueIn: ({ accountsOnly }) => onOff(accountsOnly) },
  linksOff: { name: 'links', valueIn: ({ linksOff }) => onOff(!linksOff) },
  readOnly: { name: 'read-only', valueIn: ({ readOnly }) => onOff(readOnly) },
}
export const ruleKeys = Object.keys(ruleTexts) as (keyof RoomRules)[]

export function describeRules(changes: Partial<RoomRules>): string {
  const rules = { ...noRules, ...changes }
  return ruleKeys
    .filter((key) => changes[key] !== undefined)
    .map((key) => `${ruleTexts[key].name}=${ruleTexts[key].valueIn(rules)}`)
    .join(' ')
}
