import { createElement } from 'react'
import { useModeration } from '../../connection/hooks.ts'
import { noModeration } from '../../connection/moderation.ts'
import { createOnDemand } from '../../ui/on-demand.ts'

const parts = createOnDemand(() => import('./moderation-parts.tsx'))

interface ModerationPartProps {
  name: 'RulesNotice' | 'AboveList'
}

/** Part of the page that exists only while a rule, an announcement or the role of a moderator is in effect. */
export function ModerationPart({ name }: ModerationPartProps) {
  const moderation = useModeration()
  const isNeeded = moderation !== noModeration
  const loaded = parts.useOnDemand(isNeeded)
  return isNeeded && loaded !== null ? createElement(loaded[name], moderation) : null
}
