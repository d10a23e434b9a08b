import type { RoomRules } from '../../../contract/moderation.ts'
import { ruleTexts } from '../../../contract/rule-texts.ts'

/** Returns the rules that concern a user who is about to write; '' if there are none. */
export function ruleText(rules: RoomRules, isAnonymous: boolean, isModerator: boolean): string {
  const applies: Readonly<Record<keyof RoomRules, boolean>> = {
    readOnly: rules.readOnly,
    accountsOnly: rules.accountsOnly && isAnonymous,
    linksOff: rules.linksOff,
    slowModeSeconds: rules.slowModeSeconds > 0,
  }
  const names: readonly (keyof RoomRules)[] = rules.readOnly
    ? ['readOnly']
    : (Object.keys(applies) as (keyof RoomRules)[])
  const texts = names.filter((name) => applies[name]).map((name) => ruleTexts[name](rules))
  if (isModerator && texts.length > 0) texts.push('Moderators are exempt.')
  return texts.join(' ')
}
