import type { NotificationChoice } from './notifier.ts'

export const choiceKey = 'chat-room.notifications'

/** Stores the choice for later visits and for other tabs; `null` removes it. */
export function storeChoice(choice: NotificationChoice | null) {
  try {
    if (choice === null) localStorage.removeItem(choiceKey)
    else localStorage.setItem(choiceKey, choice)
  } catch {
    // Storage is disabled or full: the choice applies until a reload.
  }
}

/** Returns the stored choice; `null` when there is none or when the user has withdrawn the permission. */
export function storedChoice(): NotificationChoice | null {
  try {
    const choice = localStorage.getItem(choiceKey)
    const isChoice = choice === 'mentions' || choice === 'all'
    return isChoice && Notification.permission === 'granted' ? choice : null
  } catch {
    return null
  }
}
