const maxTextCharacters = 200

/**
 * Returns whether a page can show notifications. Browsers on Android have the interface, but require a service worker.
 */
export const canNotify = () => 'Notification' in window && !/Android/.test(navigator.userAgent)

/** Asks the user for permission, and resolves to whether it is granted. Call it only after a click. */
export async function requestNotifications(): Promise<boolean> {
  return (await Notification.requestPermission()) === 'granted'
}

/**
 * Creates a display of one notification. A new notification replaces it, and it disappears when the page becomes
 * visible.
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
