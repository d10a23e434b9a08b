import { createElement, useState } from 'react'
import type { Announcement } from '../../../contract/moderation.ts'
import { useAccount } from '../../connection/hooks.ts'
import { browserPage } from '../../connection/link/browser-page.ts'
import type { Moderation } from '../../connection/moderation.ts'
import { createOnDemand } from '../../ui/on-demand.ts'
import { ruleText } from './rule-text.ts'

/**
 * Shows, above the message field, the rules that concern the user. The `aria-describedby` of the field refers to the id
 * of the notice.
 */
export function RulesNotice({ rules, isModerator }: Moderation) {
  const isAnonymous = useAccount() === null
  const text = rules === null ? '' : ruleText(rules, isAnonymous, isModerator)
  return text === '' ? null : (
    <p id="room-rules" aria-live="polite" className="room-rules">
      {text}
    </p>
  )
}

const dismissedKey = 'chat-room.dismissed'

/** Notice of the operator above the list. A dismissed notice stays hidden in this tab. */
function AnnouncementNotice({ id, text }: Announcement) {
  const [dismissedId, setDismissedId] = useState(() => browserPage.load(dismissedKey))
  if (dismissedId === id) return null
  const dismiss = () => {
    browserPage.store(dismissedKey, id)
    setDismissedId(id)
  }
  return (
    <div className="announcement">
      <output>
        <bdi>{text}</bdi>
      </output>
      <button type="button" onClick={dismiss} aria-label="Dismiss the announcement">
        Dismiss
      </button>
    </div>
  )
}

const moderatorBar = createOnDemand(async () => (await import('./moderator-bar.tsx')).ModeratorBar)

/** Announcement and moderator's controls above the list. */
export function AboveList({ announcement, isModerator }: Moderation) {
  const Bar = moderatorBar.useOnDemand(isModerator)
  return (
    <>
      {announcement !== null && <AnnouncementNotice key={announcement.id} {...announcement} />}
      {isModerator && Bar !== null && createElement(Bar)}
    </>
  )
}
