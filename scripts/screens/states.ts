import { expect as playwrightExpect, type Page } from '@playwright/test'
import { maxMessageCharacters } from '../../contract/limits.ts'
import { notFoundPath, type Route, routes } from '../../contract/routes.ts'
import { fillLogin } from '../../tests/support/accounts.ts'
import { enterRoom, waitUntilLive, room } from '../../tests/support/room-page.ts'
import { texts } from '../../web/room/composer/texts.ts'
import type { DemoRoom } from './demo-room.ts'
import {
  everyView,
  moderatorViews,
  largeTextViews,
  narrowViews,
  printViews,
  shortViews,
  type View,
  preferenceViews,
} from './views.ts'

// The timeout allows for a busy machine.
const expect = playwrightExpect.configure({ timeout: 30_000 })

export interface State {
  id: string
  title: string
  views: View[]
  showsCaret?: true
  show(page: Page, demo: DemoRoom): Promise<void>
}

async function enterConversation(page: Page, demo: DemoRoom) {
  await enterRoom(page)
  await demo.sendConversation()
  await expect(room(page).entries.last()).toContainText('It is decided')
}

async function logIn(page: Page, { account }: DemoRoom) {
  await page.goto(routes.login)
  await fillLogin(page, account.name, account.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByText(`username : ${account.name}`)).toBeVisible()
  await waitUntilLive(page)
}

/**
 * Logs in as a moderator, sends the example conversation and a message to remove, and opens the menu of that message.
 */
async function enterAsModerator(page: Page, demo: DemoRoom) {
  await demo.operate('moderators', 'add', demo.account.name)
  await logIn(page, demo)
  // The page focuses the field after the login, which would end the selection of a message.
  await expect(room(page).message).toBeFocused()
  await demo.sendConversation()
  await demo.send('Jürgen', 'Cheap watches, buy now')
  await expect(room(page).entries.last()).toContainText('Cheap watches')
  await room(page)
    .entries.last()
    .click({ position: { x: 40, y: 12 } })
  await page.getByRole('button', { name: 'Moderate', exact: true }).click()
}

const roomStates: State[] = [
  {
    id: 'room',
    title: 'The room, without signing in',
    views: everyView,
    show: enterConversation,
  },
  {
    id: 'room-logged-in',
    title: 'The room, logged in, a message half written',
    views: everyView,
    async show(page, demo) {
      await logIn(page, demo)
      await demo.sendConversation()
      await expect(room(page).entries.last()).toContainText('It is decided')
      await room(page).message.fill('And if it rains, we sit in the')
    },
  },
  {
    id: 'room-typing',
    title: 'Typing on a low screen',
    views: shortViews,
    showsCaret: true,
    async show(page, demo) {
      await enterConversation(page, demo)
      await room(page).message.pressSequentially('And if it rains')
    },
  },
  {
    id: 'room-large',
    title: 'Large text',
    views: largeTextViews,
    show: enterConversation,
  },
  {
    id: 'room-preferences',
    title: 'Forced colours, more contrast and right-to-left direction',
    views: preferenceViews,
    show: enterConversation,
  },
  {
    id: 'room-paper',
    title: 'Printed',
    views: printViews,
    show: enterConversation,
  },
  {
    id: 'room-empty',
    title: 'Connected, no messages yet',
    views: everyView,
    show: (page) => enterRoom(page),
  },
  {
    id: 'room-connecting',
    title: 'Connecting',
    views: everyView,
    async show(page) {
      await page.route('**/socket.io/**', () => {})
      await page.routeWebSocket('**/socket.io/**', () => {})
      await page.goto(routes.room)
      await expect(page.getByText('Connecting')).toBeAttached()
    },
  },
  {
    id: 'room-unread',
    title: 'Scrolled up while messages arrive',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      for (let round = 0; round < 4; round++) await demo.sendConversation()
      await expect(room(page).entries).toHaveCount(45)
      await room(page).list.evaluate((list) => list.scrollTo(0, list.scrollHeight / 3))
      await demo.send('tom', 'I have just looked: sunshine')
      await demo.send('Łucja', 'even better')
      await expect(page.getByRole('button', { name: 'First unread (2)' })).toBeVisible()
    },
  },
  {
    id: 'room-too-long',
    title: 'A message that is too long',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      const text = 'long '.repeat(maxMessageCharacters / 4)
      await room(page).message.fill(text)
      await expect(page.getByText(texts.tooLong(text.length))).toBeVisible()
    },
  },
  {
    id: 'room-lost',
    title: 'Connection lost, one message queued',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      await demo.server.kill()
      await expect(page.getByText('The connection is lost.')).toBeVisible()
      await room(page).message.fill('See you on Saturday!')
      await room(page).send.click()
      await expect(page.getByText('Waiting for the connection')).toBeVisible()
    },
  },
  {
    id: 'room-outbox',
    title: 'Three queued messages, one of them taken back, and a draft',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      await demo.server.kill()
      await expect(page.getByText('The connection is lost.')).toBeVisible()
      const { message, outbox } = room(page)
      for (const text of ['See you on Saturday!', 'I can bring the grill', 'And a ball']) {
        await message.fill(text)
        await message.press('Enter')
      }
      await message.fill('And if it rains, we sit in the')
      await outbox.nth(1).getByRole('button', { name: 'Take back' }).click()
      await expect(outbox.nth(1)).toContainText('Not sent')
    },
  },
  {
    id: 'room-offline',
    title: 'Offline',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      await page.context().setOffline(true)
      await page.evaluate(() => window.dispatchEvent(new Event('offline')))
      await demo.server.kill()
      await expect(page.getByText('You are offline.')).toBeVisible()
    },
  },
  {
    id: 'room-gap',
    title: 'Reconnected with a gap',
    views: everyView,
    async show(page, demo) {
      await enterConversation(page, demo)
      await demo.server.kill()
      await expect(page.getByText('The connection is lost.')).toBeVisible()
      await demo.server.deleteData()
      await demo.server.start()
      await waitUntilLive(page)
      await expect(page.getByText('Some messages may be missing here')).toBeVisible()
    },
  },
  {
    id: 'room-unfolded',
    title: 'The online panel expanded',
    views: narrowViews,
    async show(page, demo) {
      await enterConversation(page, demo)
      await room(page).onlineTitle.getByRole('button').click()
    },
  },
  {
    id: 'menu',
    title: 'The menu',
    views: narrowViews,
    async show(page, demo) {
      await enterConversation(page, demo)
      await page.getByRole('button', { name: 'Open menu' }).click()
      await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeVisible()
    },
  },
]

const notFoundStates: State[] = [
  {
    id: 'not-found',
    title: 'Not found',
    views: everyView,
    async show(page) {
      await enterRoom(page)
      await page.evaluate(() => {
        window.history.pushState(null, '', '/no/such/place')
        window.dispatchEvent(new PopStateEvent('popstate'))
      })
      await expect(page.getByText('There is nothing at this address')).toBeVisible()
    },
  },
]

const registerStates: State[] = [
  {
    id: 'register',
    title: 'Sign-up',
    views: everyView,
    async show(page) {
      await page.goto(routes.register)
      await waitUntilLive(page)
    },
  },
  {
    id: 'registered',
    title: 'Signed up',
    views: everyView,
    async show(page) {
      await page.goto(routes.register)
      await page.route('**/register', (route) =>
        route.fulfill({ status: 201, json: { _id: '1', name: 'Łucja', email: 'lucja@example.org', token: 'none' } }),
      )
      await page.getByLabel('Name', { exact: true }).fill('Łucja')
      await page.getByLabel('Email', { exact: true }).fill('lucja@example.org')
      await page.getByLabel('Password', { exact: true }).fill('secret')
      await page.getByRole('button', { name: 'Sign Up' }).click()
      await expect(page.getByText('Your account is ready')).toBeVisible()
      await page.evaluate(() => localStorage.clear())
    },
  },
]

const loginStates: State[] = [
  {
    id: 'login',
    title: 'Login',
    views: everyView,
    async show(page) {
      await page.goto(routes.login)
      await waitUntilLive(page)
    },
  },
  {
    id: 'login-wait',
    title: 'Login, after too many attempts',
    views: everyView,
    async show(page) {
      await page.goto(routes.login)
      await page.route('**/login', (route) =>
        route.fulfill({
          status: 429,
          headers: { 'Retry-After': '60' },
          json: { code: 'rate_limited', message: 'Too many failed logins.' },
        }),
      )
      await fillLogin(page, 'maria', 'forgotten')
      await page.getByRole('button', { name: 'Login', exact: true }).click()
      await expect(page.getByText('Try again in')).toBeVisible()
    },
  },
]

const usersStates: State[] = [
  {
    id: 'users',
    title: 'Users',
    views: everyView,
    async show(page, { account }) {
      await page.addInitScript((data) => localStorage.setItem('userData', data), JSON.stringify(account.response))
      await page.goto(routes.users)
      await expect(page.getByText(account.email)).toBeVisible()
      await waitUntilLive(page)
    },
  },
]

const moderatorStates: State[] = [
  {
    id: 'moderator-menu',
    title: "A moderator's menu of a message",
    views: moderatorViews,
    async show(page, demo) {
      await enterAsModerator(page, demo)
      await expect(page.getByRole('menuitem', { name: 'Remove message' })).toBeVisible()
    },
  },
  {
    id: 'moderator-panel',
    title: "A moderator's panel",
    views: moderatorViews,
    async show(page, demo) {
      await enterAsModerator(page, demo)
      await page.getByRole('menuitem', { name: 'Mute for 1 hour' }).click()
      await expect(page.getByText('muted until')).toBeVisible()
      await page.getByRole('button', { name: 'Moderation' }).click()
      await expect(page.getByRole('button', { name: 'Undo: mute Jürgen' })).toBeVisible()
    },
  },
]

const statesOf: Record<Route | typeof notFoundPath, readonly State[]> = {
  [routes.room]: roomStates,
  [notFoundPath]: notFoundStates,
  [routes.register]: registerStates,
  [routes.login]: loginStates,
  [routes.users]: usersStates,
}

export const states: readonly State[] = [...Object.values(statesOf).flat(), ...moderatorStates]
