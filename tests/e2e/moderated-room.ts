import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { pino } from 'pino'
import type { ModeratorAction } from '../../contract/moderation.ts'
import { createServer } from '../../server/app.ts'
import { readSettings } from '../../server/config/settings.ts'
import type { OperatorAction } from '../../server/moderation/moderation-actions.ts'
import { type Account, logIn, registerAccount } from '../support/accounts.ts'
import { noLimits } from '../support/application.ts'
import { enterRoom } from '../support/room-page.ts'
import { connectClient } from '../support/socket-client.ts'

/** Starts a server in this process with a moderator and the account of a spammer. */
export async function startModeratedRoom() {
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-room-e2e-'))
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits })
  const server = await createServer({ settings, log: pino({ level: 'error' }), hiddenInternals: [] })
  const url = `http://127.0.0.1:${await server.listen()}`
  const operate = (action: OperatorAction | ModeratorAction) => server.moderation.perform({ kind: 'operator' }, action)
  const moderator = await registerAccount(url, 'mia')
  const spammer = await registerAccount(url, 'eve')
  const { _id: id, name } = moderator.response
  await operate({ type: 'add-moderator', account: { id, name } })
  const eve = await connectClient(url, 'eve', spammer.response.token)
  return {
    url,
    operate,
    moderator,
    spammer,
    eve,
    async logIn(page: Page, account: Account) {
      page.on('dialog', (dialog) => void dialog.accept())
      await enterRoom(page, url)
      await logIn(page, account)
    },
    async close() {
      eve.disconnect()
      await server.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type ModeratedRoom = Awaited<ReturnType<typeof startModeratedRoom>>

/** Opens the moderator's menu of the entry with this text, with the mouse. */
export async function openMenu(page: Page, text: string) {
  await page.getByRole('region', { name: 'Messeges' }).getByText(text).click()
  await page.getByRole('button', { name: 'Moderate' }).click()
  return page.getByRole('dialog')
}
