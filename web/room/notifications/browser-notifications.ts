const maxTextCharacters = 200

export type NotificationProblem = 'denied' | 'unavailable'

/** Returns whether the browser has notifications. A page may still be unable to show them (see `requestNotifications`). */
export const canNotify = () => 'Notification' in window

/**
 * Returns whether the constructor works. Browsers on Android have the interface, but require a service worker, and their
 * constructor throws. Call this function only without the permission: the constructor then shows nothing.
 */
function canConstruct(): boolean {
  try {
    return Boolean(new Notification('Chat Room'))
  } catch {
    return false
  }
}

/**
 * Asks the user for permission, and resolves to the problem if the page cannot show notifications. Call this function
 * only after a click.
 */
export async function requestNotifications(): Promise<NotificationProblem | null> {
  if (Notification.permission !== 'granted' && !canConstruct()) return 'unavailable'
  return (await Notification.requestPermission()) === 'granted' ? null : 'denied'
}

/**
 * Creates a display for one notification at a time. A new notification replaces the previous one. The notification
 * disappears when the page becomes visible. `show` throws in a browser that requires a service worker.
 */
export function createNotificationDisplay() {
  let shown: Notification | null = null
  const close = () => shown?.close()
  return {
    close,
    show(text: string) {
      close()
      const body = [...text].slice(0, maxTextCharacters).join('')
      // The tag makes the notifications of several tabs replace each other.
      shown = new Notification('Chat Room', { body, icon: `${import.meta.env.BASE_URL}icon-192.png`, tag: 'chat-room' })
      shown.addEventListener('click', () => window.focus())
      document.addEventListener('visibilitychange', close, { once: true })
    },
  }
}
