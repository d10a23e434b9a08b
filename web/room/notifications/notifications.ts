import { createCell } from '../../connection/cell.ts'
import type { RoomConnection } from '../../connection/room-connection.ts'
import { createMentionMatcher } from '../entry/mentions.ts'
import {
  canNotify,
  createNotificationDisplay,
  type NotificationProblem,
  requestNotifications,
} from './browser-notifications.ts'
import { createNotifier, type NotificationChoice, type Notifier } from './notifier.ts'
import { choiceKey, storeChoice, storedChoice } from './stored-choice.ts'

interface NotificationState {
  readonly choice: NotificationChoice | null
  /** Reason why the page turned off the last choice of the user; `null` if the page did not turn it off. */
  readonly problem: NotificationProblem | null
}

export type Notifications = ReturnType<typeof createNotifications>

/** Creates the notifications of a page. They follow the stored choice, also on other screens, until the page closes. */
export function createNotifications({
  messages,
  identity,
  anonymousName,
}: Pick<RoomConnection, 'messages' | 'identity' | 'anonymousName'>) {
  const state = createCell<NotificationState>({ choice: null, problem: null })
  const display = createNotificationDisplay()
  let notifier: Notifier | null = null

  function start(choice: NotificationChoice | null, problem: NotificationProblem | null = null) {
    notifier?.stop()
    notifier =
      choice &&
      createNotifier({
        choice,
        messages,
        mentionMatcher: () => createMentionMatcher(identity.get(), anonymousName.get()),
        isHidden: () => document.visibilityState === 'hidden',
        show,
        close: display.close,
      })
    state.set({ choice, problem })
  }

  function choose(choice: NotificationChoice | null, problem: NotificationProblem | null) {
    storeChoice(choice)
    start(choice, problem)
  }

  function show(text: string) {
    try {
      display.show(text)
    } catch (error) {
      console.error(error)
      choose(null, 'unavailable')
    }
  }

  start(storedChoice())
  window.addEventListener('storage', ({ key }) => {
    // Another tab has changed the stored choice.
    if (key === choiceKey) start(storedChoice())
  })

  return {
    get: state.get,
    subscribe: state.subscribe,
    /** Asks for the permission if necessary, and applies and stores the choice. Call this method only after a click. */
    async request(wanted: NotificationChoice | null) {
      const problem = wanted === null ? null : await requestNotifications()
      choose(problem === null ? wanted : null, problem)
    },
  }
}

/** Notifications of the page; `null` until they start, and in a browser without notifications. */
export const pageNotifications = createCell<Notifications | null>(null)

/** Starts the notifications of the page, if the browser has any and they have not started. */
export function startNotifications(connection: RoomConnection) {
  if (pageNotifications.get() === null && canNotify()) pageNotifications.set(createNotifications(connection))
}
