import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createCell } from '../../connection/cell.ts'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { createNotifications } from './notifications.ts'
import { choiceKey } from './stored-choice.ts'

beforeEach(() => void vi.useFakeTimers())

/** Creates a hidden page. With `isMobile`, the `Notification` constructor throws, as in browsers on Android. */
function openPage({ isMobile = false, permission = 'granted', stored = null as string | null } = {}) {
  const shown: string[] = []
  const requests: string[] = []
  const values = new Map(stored === null ? [] : [[choiceKey, stored]])
  const window = new EventTarget()
  class TestNotification extends EventTarget {
    static permission = permission
    static requestPermission() {
      requests.push('requested')
      return Promise.resolve((TestNotification.permission = 'granted'))
    }
    constructor(_title: string, { body = '' }: NotificationOptions = {}) {
      super()
      if (isMobile) throw new TypeError('Illegal constructor')
      if (TestNotification.permission === 'granted') shown.push(body)
    }
    close() {}
  }
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'hidden' }))
  vi.stubGlobal('Notification', TestNotification)
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  })
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  const buffer = createMessageBuffer()
  const messages = createCell(buffer.view())
  const notifications = createNotifications({
    messages,
    identity: createCell('Mia'),
    anonymousName: createCell('anonymous'),
  })
  const receive = (message: string) => {
    buffer.appendMessage({ username: 'ann', message, createdTime: 0 }, true)
    messages.set(buffer.view())
    vi.runAllTimers()
  }
  const chooseInOtherTab = (choice: string) => {
    values.set(choiceKey, choice)
    window.dispatchEvent(Object.assign(new Event('storage'), { key: choiceKey }))
  }
  return {
    notifications,
    receive,
    chooseInOtherTab,
    shown,
    requests,
    stored: () => values.get(choiceKey),
    consoleError,
  }
}

test('READING-14 a browser that requires a service worker turns notifications off and reports it once', () => {
  const { notifications, receive, stored, consoleError } = openPage({ isMobile: true, stored: 'all' })
  expect(notifications.get().choice).toBe('all')
  receive('hello')
  receive('again')
  expect(notifications.get()).toEqual({ choice: null, problem: 'unavailable' })
  expect(stored()).toBeUndefined()
  expect(consoleError).toHaveBeenCalledOnce()
})

test('READING-14 a browser that requires a service worker does not ask for the permission', async () => {
  const { notifications, requests } = openPage({ isMobile: true, permission: 'default' })
  await notifications.request('all')
  expect(notifications.get()).toEqual({ choice: null, problem: 'unavailable' })
  expect(requests).toEqual([])
})

test('READING-14 a choice asks for the permission, shows nothing by itself, and is stored', async () => {
  const { notifications, receive, shown, stored } = openPage({ permission: 'default' })
  await notifications.request('mentions')
  expect(notifications.get()).toEqual({ choice: 'mentions', problem: null })
  expect(stored()).toBe('mentions')
  expect(shown).toEqual([])
  receive('hello Mia')
  expect(shown).toEqual(['ann : hello Mia'])
})

test('READING-14 a page without the room follows the choice of another tab', () => {
  const { receive, chooseInOtherTab, shown } = openPage()
  chooseInOtherTab('all')
  receive('wanted')
  chooseInOtherTab('mentions')
  receive('not wanted')
  expect(shown).toEqual(['ann : wanted'])
})
