import { type Static, Type } from 'typebox'
import type { restrictionKinds } from './constants.ts'
import { maxSlowModeSeconds } from './limits.ts'
import type { Rejection } from './rejections.ts'

/** Rules of the room. Moderators are exempt from all of them. */
export const RoomRules = Type.Object({
  /** Minimum number of seconds between two messages of one sender; 0 turns slow mode off. */
  slowModeSeconds: Type.Integer({ minimum: 0, maximum: maxSlowModeSeconds }),
  accountsOnly: Type.Boolean(),
  linksOff: Type.Boolean(),
  readOnly: Type.Boolean(),
})
export type RoomRules = Static<typeof RoomRules>

/** Notice of the operator. The page shows it above the list until the user dismisses it or the operator ends it. */
export const Announcement = Type.Object({ id: Type.String(), text: Type.String() })
export type Announcement = Static<typeof Announcement>

export type Role = 'moderator'

const Seq = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** Longest duration of a restriction that ends: one year. */
export const maxRestrictionMinutes = 525_600
export const maxReasonCharacters = 200
/** Duration of a restriction in minutes; `null` means without end. */
const Minutes = Type.Union([Type.Integer({ minimum: 1, maximum: maxRestrictionMinutes }), Type.Null()])
/** Returns the type of a text without control characters, which a database or a terminal could misread. */
const plainText = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
const Reason = Type.Optional(plainText(maxReasonCharacters))

/**
 * Options that reject unknown fields, because some fields of the operator's actions must not be available to
 * moderators.
 */
const strict = { additionalProperties: false }

/** Action of a moderator: the argument of the event `moderate`. */
export const ModeratorAction = Type.Union([
  Type.Object({ type: Type.Literal('remove'), seqs: Type.Array(Seq, { minItems: 1, maxItems: 100 }) }, strict),
  Type.Object({ type: Type.Literal('remove-sender'), senderOf: Seq }, strict),
  Type.Object({ type: Type.Literal('mute'), senderOf: Seq, minutes: Minutes, reason: Reason }, strict),
  Type.Object({ type: Type.Literal('ban'), senderOf: Seq, minutes: Minutes, reason: Reason }, strict),
  /** Ends a mute or a ban. */
  Type.Object({ type: Type.Literal('end-restriction'), id: plainText(64) }, strict),
  Type.Object({ type: Type.Literal('set-rules'), rules: Type.Partial(RoomRules, strict) }, strict),
  Type.Object({ type: Type.Literal('overview') }, strict),
])
export type ModeratorAction = Static<typeof ModeratorAction>

/** Action of an audit entry, except commands of the operator such as 'users rename'. */
export type AuditAction =
  | Exclude<ModeratorAction['type'], 'overview'>
  | 'add-moderator'
  | 'remove-moderator'
  | 'add-word'
  | 'remove-word'
  | 'announce'

export type RestrictionKind = (typeof restrictionKinds)[number]

/**
 * Mute or ban in effect, as moderators and the operator see it. `target` names the account or the network. The name of the
 * sender precedes the network, unless the operator gave the network itself. Moderators see the network in short form.
 */
export interface RestrictionView {
  id: string
  kind: RestrictionKind
  target: string
  reason: string | null
  /** Time of the end; `null` means without end. */
  endsAtMs: number | null
}

export interface AuditEntry {
  atMs: number
  /** 'operator', 'erased user', or the name of a moderator, with ' (account)' if it looks like one of these two texts. */
  actor: string
  action: string
  target: string
  reason: string | null
  endsAtMs: number | null
}

/**
 * Content of the moderator's panel: rules, restrictions in effect, and the latest actions, newest first. A field that is
 * added later must be optional: during a rolling upgrade, a page may get the overview of an older node.
 */
export interface ModerationOverview {
  rules: RoomRules
  restrictions: RestrictionView[]
  audit: AuditEntry[]
}

export const moderationRejectionCodes = ['invalid', 'not_allowed', 'not_found', 'rate_limited', 'unavailable'] as const
export type ModerationRejectionCode = (typeof moderationRejectionCodes)[number]

/** Ack of an action. `removed` is the number of messages that the action removed. */
export type ModerationAck =
  | { ok: true; removed?: number; restriction?: RestrictionView; overview?: ModerationOverview }
  | ({ ok: false } & Rejection<ModerationRejectionCode>)
