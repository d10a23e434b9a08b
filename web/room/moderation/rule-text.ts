import type { RoomRules } from '../../../contract/moderation.ts'

/** Returns the rules that concern a user who is about to write; '' if there are none. */
export function ruleText(rules: RoomRules, isAnonymous: boolean, isModerator: boolean): string {
  const texts = rules.readOnly
    ? ['Read only: messages are not accepted at the moment.']
    : [
        rules.accountsOnly && isAnonymous && 'Only registered users can write. Log in or register first.',
        rules.linksOff && 'Messages with links are not accepted.',
        rules.slowModeSeconds > 0 && `Slow mode: one message every ${rules.slowModeSeconds} s.`,
      ].filter((text) => text !== false)
  if (isModerator && texts.length > 0) texts.push('Moderators are exempt.')
  return texts.join(' ')
}
