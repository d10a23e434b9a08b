import { nameWithoutSuffix } from '../../contract/anonymous-label.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import type { RestrictionKind, RoomRules } from '../../contract/moderation.ts'
import type { ConnectRejectionCode } from '../../contract/rejections.ts'
import { ruleTexts } from '../../contract/rule-texts.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { containsLink } from './filter/links.ts'
import type { StoredRestriction } from './moderation-store.ts'
import type { ModerationSnapshot } from './moderation-state.ts'
import { isLoopbackNetwork } from './networks.ts'
import type { MessageSender } from '../room/message-log.ts'

/** Returns the time until a restriction ends, at least 1 ms; `undefined` if it has no end. */
function remainingMs({ endsAtMs }: StoredRestriction, nowMs: number): number | undefined {
  return endsAtMs === null ? undefined : Math.max(1, Math.ceil(endsAtMs - nowMs))
}

const restrictedTexts: Readonly<Record<RestrictionKind, string>> = {
  mute: 'You are muted in this room.',
  ban: 'You are banned from this room.',
}

const restrictedText = ({ kind, reason }: StoredRestriction) =>
  reason === null ? restrictedTexts[kind] : `${restrictedTexts[kind]} Reason: ${reason}`

interface CheckedMessage {
  accountId: string | null
  text: string
  /** Name that an anonymous sender chose; `null` for an account. */
  anonymousName: string | null
}

/** Returns whether the check is true for the text of the message or for the name of an anonymous sender. */
const isTrueOfAny = ({ text, anonymousName }: CheckedMessage, check: (text: string) => boolean) =>
  check(text) || (anonymousName !== null && check(anonymousName))

/** Checks of the rules, in this order. Each returns whether the rule rejects the message. */
const ruleChecks: Readonly<Record<keyof RoomRules, (rules: RoomRules, message: CheckedMessage) => boolean>> = {
  readOnly: ({ readOnly }) => readOnly,
  accountsOnly: ({ accountsOnly }, { accountId }) => accountsOnly && accountId === null,
  linksOff: ({ linksOff }, message) => linksOff && isTrueOfAny(message, containsLink),
  // `slow-mode.ts` checks this rule, because the check needs state.
  slowModeSeconds: () => false,
}
const ruleNames = Object.keys(ruleChecks) as (keyof RoomRules)[]

/** Returns the reason why a message is not allowed; `null` if it is allowed. */
export function findMessageProblem(
  { isUnrestricted, restrictions, rules, filter, moderators }: ModerationSnapshot,
  nowMs: number,
  sender: MessageSender,
  { username, message }: Pick<ChatMessage, 'username' | 'message'>,
): RejectionError<'not_allowed'> | null {
  if (isUnrestricted) return null
  const restriction = restrictions.find(sender, 'sending', nowMs)
  if (restriction !== null) return notAllowed(restrictedText(restriction), remainingMs(restriction, nowMs))
  const { accountId } = sender
  if (accountId !== null && moderators.has(accountId)) return null
  const checked = { accountId, text: message, anonymousName: accountId === null ? nameWithoutSuffix(username) : null }
  const broken = ruleNames.find((name) => ruleChecks[name](rules, checked))
  if (broken !== undefined) return notAllowed(ruleTexts[broken](rules))
  if (filter !== null && isTrueOfAny(checked, (text) => filter.matches(text))) {
    return notAllowed('The message contains a word that is not allowed in this room.')
  }
  return null
}

/** Returns the key by which slow mode counts a sender. Clients on loopback may be different users behind a proxy. */
export function slowModeKey({ accountId, network }: MessageSender, connectionId: string): string {
  if (accountId !== null) return `account ${accountId}`
  return isLoopbackNetwork(network) ? `connection ${connectionId}` : `network ${network}`
}

/**
 * Returns the reason why a client may not connect; `null` if it may. A ban of anonymous senders leaves their presence
 * connections open, because users who log in need them too.
 */
export function findConnectProblem(
  { restrictions }: ModerationSnapshot,
  nowMs: number,
  client: MessageSender,
  receivesMessages: boolean,
): RejectionError<ConnectRejectionCode> | null {
  if (!restrictions.hasBans || (client.accountId === null && !receivesMessages)) return null
  const ban = restrictions.find(client, 'connecting', nowMs)
  if (ban === null) return null
  return new RejectionError('banned', restrictedText(ban), remainingMs(ban, nowMs))
}

/** Returns the reason why clients of a network may not register a name; `null` if they may. */
export function findRegistrationProblem(
  { restrictions, rules, filter }: ModerationSnapshot,
  nowMs: number,
  network: string,
  name: string,
): RejectionError<'forbidden'> | null {
  const ban = restrictions.find({ accountId: null, network }, 'registering', nowMs)
  if (ban !== null) return forbidden('Registration from this network is not allowed at the moment.')
  if (rules.linksOff && containsLink(name)) return forbidden('Links are not allowed in names.')
  if (filter?.matches(name) === true) return forbidden('The name contains a word that is not allowed in this room.')
  return null
}

function forbidden(text: string): RejectionError<'forbidden'> {
  return new RejectionError('forbidden', text)
}

function notAllowed(text: string, retryAfterMs?: number): RejectionError<'not_allowed'> {
  return new RejectionError('not_allowed', text, retryAfterMs)
}
