import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { type Account, registerAccount } from '../../tests/support/accounts.ts'
import { adminCommand } from '../../tests/support/admin-command.ts'
import { type Application, startApplication } from '../../tests/support/application.ts'
import { connectClient } from '../../tests/support/socket-client.ts'

type Client = Awaited<ReturnType<typeof connectClient>>

const accounts = [
  ['maria', 'maria@example.org'],
  ['Jürgen', 'juergen@example.org'],
  ['נועה', 'noa@example.org'],
] as const

/** Messages of the example conversation. */
const conversation: [sender: string, text: string][] = [
  ['maria', 'Good afternoon! Who is in for a walk through the old harbour on Saturday?'],
  ['tom', 'me, if it does not rain'],
  ['Jürgen', 'Count me in. The ferry leaves at ten past nine: https://example.org/ferry/timetable'],
  ['Łucja', 'Is it far to walk? I would bring the little one'],
  [
    'maria',
    'An hour, slowly, with a bench every few minutes. Let us meet at nine at the clock tower, so that nobody has to run. I will bring coffee and the map of the old quays, the one with the warehouses that are not there any more.',
  ],
  ['tom', 'perfect'],
  ['נועה', 'אני מביאה עוגה'],
  ['Łucja', 'then we are coming!'],
  ['maria', 'Wonderful. It is decided.'],
]
const startedAtMs = Date.UTC(2026, 4, 8, 15, 2, 11)
const intervalMs = 47_000

export interface DemoRoom {
  server: Application
  account: Account
  open(options: BrowserContextOptions): Promise<Page>
  /** Sends the example conversation. */
  sendConversation(): Promise<void>
  send(sender: string, text: string): Promise<unknown>
  /** Runs a command of `npm run admin`. */
  operate(...argv: string[]): Promise<void>
  close(): Promise<void>
}

/** Starts a server with three accounts and a client for each sender of the example conversation. */
export async function startDemoRoom(browser: Browser): Promise<DemoRoom> {
  const adminSocket = join(tmpdir(), `chat-room-${randomUUID().slice(0, 8)}.sock`)
  const server = await startApplication(['server/main.ts'], {
    MESSAGES_PER_SECOND: '0',
    MESSAGES_PER_SECOND_PER_IP: '0',
    ADMIN_SOCKET: adminSocket,
  })
  const registered = new Map<string, Account>()
  for (const [name, email] of accounts) registered.set(name, await registerAccount(server.url, name, email))
  const account = registered.get('maria')
  if (account === undefined) throw new Error('the account maria is missing')

  const clients = new Map<string, Client>()
  for (const [sender] of conversation) {
    if (!clients.has(sender)) {
      clients.set(sender, await connectClient(server.url, sender, registered.get(sender)?.response.token))
    }
  }

  const send = async (sender: string, text: string, createdTime?: number) =>
    clients.get(sender)?.send(text, createdTime)
  return {
    server,
    account,
    async open(options) {
      const context = await browser.newContext({ ...options, baseURL: server.url })
      return context.newPage()
    },
    async sendConversation() {
      for (const [index, [sender, text]] of conversation.entries())
        await send(sender, text, startedAtMs + index * intervalMs)
    },
    send,
    async operate(...argv) {
      const { exitCode, stderr } = await adminCommand(adminSocket, argv)
      if (exitCode !== 0) throw new Error(stderr)
    },
    async close() {
      for (const client of clients.values()) client.disconnect()
      await server.dispose()
    },
  }
}
