const maxTextCharacters = 200

/**
 * Returns whether a page can show notifications. Browsers on Android have the interface, but require a service worker.
 */
export const canNotify = () => 'Notification' in window && !/Android/.test(navigator.userAgent)

/** Asks the user for permission. Call it only after a click. */
export async function requestNotifications(): Promise<boolean> {
  return (await Notification.requestPermission()) === 'granted'
}

/** Returns a function that shows a notification. It replaces the previous one, and disappears when the page is visible. */
export function createNotificationDisplay() {
  let previous: Notification | null = null
  return (text: string) => {
    previous?.close()
    const body = [...text].slice(0, maxTextCharacters).join('')
    const notification = new Notification('Chat Room', { body, icon: '/icon-192.png' })
    notification.addEventListener('click', () => window.focus())
    document.addEventListener('visibilitychange', () => notification.close(), { once: true })
    previous = notification
  }
}
