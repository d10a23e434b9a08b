import type { AuditAction, ModerationAck, ModeratorAction, RestrictionKind } from '../../../contract/moderation.ts'
import { createCell } from '../../connection/cell.ts'
import { timeText } from '../entry/time-format.ts'

/** Result of the last action that the moderator chose in the menu of an entry, as text; '' until there is a result. */
export const actionResult = createCell('')

export const endText = (endsAtMs: number | null) => (endsAtMs === null ? 'permanently' : `until ${timeText(endsAtMs)}`)

export const kindText: Readonly<Record<RestrictionKind, string>> = { mute: 'muted', ban: 'banned' }

const auditTexts: Readonly<Record<AuditAction, string>> = {
  mute: kindText.mute,
  ban: kindText.ban,
  remove: 'removed',
  'remove-sender': 'removed all messages of',
  'end-restriction': 'ended the',
  'set-rules': 'set the rules:',
  'add-moderator': 'added the moderator',
  'remove-moderator': 'removed the moderator',
  'add-word': 'added the filtered word',
  'remove-word': 'removed the filtered word',
  announce: 'changed the',
}

/** Returns the verb of an audit entry. Returns the action itself if it is a command of the operator. */
export const auditText = (action: string) =>
  Object.hasOwn(auditTexts, action) ? auditTexts[action as AuditAction] : action

const countText = (count: number) => (count === 1 ? '1 message removed' : `${count} messages removed`)

/** Returns the result of an action as a text for the moderator: its effect, or the reason of the rejection. */
export function resultText({ type }: ModeratorAction, ack: ModerationAck): string {
  if (!ack.ok) return ack.message
  if (ack.restriction !== undefined) {
    const { kind, target, endsAtMs } = ack.restriction
    return `${target}: ${kindText[kind]} ${endText(endsAtMs)}`
  }
  if (ack.removed !== undefined) return countText(ack.removed)
  return type === 'set-rules' ? 'Rules saved' : 'Done'
}
