import { useState, useSyncExternalStore } from 'react'
import { actionResult } from './action-result.ts'
import { ModerationPanel } from './moderation-panel.tsx'

/** Row above the list: opens the moderation panel and shows the result of the last action on an entry. */
export function ModeratorBar() {
  const [isOpen, setIsOpen] = useState(false)
  const result = useSyncExternalStore(actionResult.subscribe, actionResult.get)
  return (
    <div className="moderator-bar">
      <button type="button" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Moderation
      </button>
      <output>{result}</output>
      {isOpen && <ModerationPanel onClose={() => setIsOpen(false)} />}
    </div>
  )
}
