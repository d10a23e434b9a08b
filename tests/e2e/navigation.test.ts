import { smallScreenBreakpointPx } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { collectAlerts, logIn, registerAccount } from '../support/accounts.ts'
import { expect, test } from './fixtures.ts'
import { enterRoom, room } from '../support/room-page.ts'

const visitorLinks = [
  ['Allusers', '/fetchusers'],
  ['Register', '/register'],
  ['Login', '/login'],
] as const

test("NAV-1 NAV-2 every screen has a navigation bar titled 'Chat Room' with the links Allusers, Register and Login", async ({
  page,
  application,
}) => {
  const { response } = await registerAccount(application.url)
  await page.addInitScript((data) => localStorage.setItem('userData', data), JSON.stringify(response))
  for (const path of Object.values(routes)) {
    await page.goto(path)
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('banner').getByText('Chat Room', { exact: true })).toBeVisible()
    const navigation = page.getByRole('navigation')
    await expect(navigation.getByRole('link')).toHaveText(visitorLinks.map(([text]) => text))
    for (const [text, href] of visitorLinks) {
      await expect(navigation.getByRole('link', { name: text, exact: true })).toHaveAttribute('href', href)
    }
  }
})

test('NAV-3 after login the bar shows the user name and none of the three links', async ({ page, application }) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  await expect(page.getByRole('navigation')).toHaveText(`User logged in as : ${account.name}`)
  await expect(page.getByRole('navigation').getByRole('link')).toHaveCount(0)
})

test('NAV-4 below 960 px the links are in a menu that one button opens and closes', async ({ page }) => {
  await page.setViewportSize({ width: smallScreenBreakpointPx - 1, height: 800 })
  await page.goto('/')
  const button = page.getByRole('navigation').getByRole('button')
  const link = page.getByRole('link', { name: 'Login', exact: true })
  await expect(button).toHaveCount(1)
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  await expect(button).toHaveAccessibleName('Open menu')
  await expect(page.locator('#menu')).toHaveCSS('display', 'none')

  await button.click()
  await expect(link).toBeVisible()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await expect(button).toHaveAccessibleName('Close menu')

  await button.click()
  await expect(page.locator('#menu')).toHaveCSS('display', 'none')
})

test('NAV-4 from 960 px the links are visible without a menu button', async ({ page }) => {
  await page.setViewportSize({ width: smallScreenBreakpointPx, height: 800 })
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeVisible()
  await expect(page.getByRole('navigation').getByRole('button')).toHaveCount(0)
})

test('NAV-4 below 960 px the menu contains the user name after login', async ({ page, application }) => {
  collectAlerts(page)
  const account = await registerAccount(application.url)
  await enterRoom(page)
  await logIn(page, account)
  await page.setViewportSize({ width: 500, height: 800 })
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByText(`User logged in as : ${account.name}`)).toBeVisible()
})

test('NAV-5 widening the window closes the menu, and it stays closed after narrowing', async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 800 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeVisible()

  await page.setViewportSize({ width: smallScreenBreakpointPx, height: 800 })
  await expect(page.getByRole('navigation').getByRole('button')).toHaveCount(0)
  await page.setViewportSize({ width: 700, height: 800 })
  await expect(page.getByRole('button', { name: 'Open menu' })).toHaveAttribute('aria-expanded', 'false')
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeHidden()
})

test('NAV-6 links, Back and Forward navigate without a page load', async ({ page }) => {
  await enterRoom(page)
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  const isSameDocument = () => page.evaluate(() => 'sameDocument' in window)

  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  await page.getByRole('link', { name: 'Log in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Login to your account' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  await page.goForward()
  await expect(page).toHaveURL('/register')
  await page.getByRole('link', { name: 'Chat Room' }).click()
  await expect(page.getByRole('heading', { name: 'Messeges' })).toBeVisible()
  expect(await isSameDocument()).toBe(true)
})

test('NAV-6 after a navigation the new screen has the focus and the title names it', async ({ page }) => {
  await enterRoom(page)
  await page.getByRole('link', { name: 'Login', exact: true }).click()
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page).toHaveTitle('Login · Chat Room')
})

test('MENU-1 Tab stays in the open menu; Escape closes it and returns the focus to the button', async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 800 })
  await page.goto('/')
  const button = page.getByRole('navigation').getByRole('button')
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Allusers', exact: true })).toBeVisible()
  const focusedTexts: (string | null)[] = []
  for (let step = 0; step < 5; step++) {
    await page.keyboard.press('Tab')
    focusedTexts.push(await page.evaluate(() => document.activeElement?.textContent ?? null))
  }
  expect(focusedTexts).toEqual(['Allusers', 'Register', 'Login', '', 'Allusers'])
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toBeFocused()

  await page.keyboard.press('Escape')
  await expect(page.locator('#menu')).toHaveCSS('display', 'none')
  await expect(button).toBeFocused()
})

test('MENU-1 choosing a link or clicking outside closes the menu', async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 800 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Register', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  await expect(page.locator('#menu')).toHaveCSS('display', 'none')

  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.getByRole('link', { name: 'Register', exact: true })).toBeVisible()
  await page.getByRole('heading', { name: 'Create an account' }).click()
  await expect(page.locator('#menu')).toHaveCSS('display', 'none')
})

test('NAV-6 the skip link is the first stop, moves the focus to the content and does not change the URL', async ({
  page,
}) => {
  await enterRoom(page)
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page).toHaveURL('/')

  await page.getByRole('link', { name: 'Skip to the message field' }).focus()
  await page.keyboard.press('Enter')
  await expect(room(page).message).toBeFocused()
  await expect(page).toHaveURL('/')
})
