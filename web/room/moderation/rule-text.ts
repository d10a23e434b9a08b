import type { RoomRules } from '../../../contract/moderation.ts'

/** Returns the rules that concern a user who is about to write; '' if there are none. */
export function ruleText(rules: RoomRules, isAnonymous: boolean, isModerator: boolean): string {
  const all: Record<keyof RoomRules, string | false> = {
    readOnly: rules.readOnly && 'Read only: messages are not accepted at the moment.',
    accountsOnly: rules.accountsOnly && isAnonymous && 'Only registered users can write. Log in or register first.',
    linksOff: rules.linksOff && 'Messages with links are not accepted.',
    slowModeSeconds: rules.slowModeSeconds > 0 && `Slow mode: one message every ${rules.slowModeSeconds} s.`,
  }
  const texts = (rules.readOnly ? [all.readOnly] : Object.values(all)).filter((text) => text !== false)
  if (isModerator && texts.length > 0) texts.push('Moderators are exempt.')
  return texts.join(' ')
}
