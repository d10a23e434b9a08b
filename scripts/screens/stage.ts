import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { type Account, registerAccount } from '../../tests/support/accounts.ts'
import { type Application, startApplication } from '../../tests/support/application.ts'
import { join } from '../../tests/support/crowd.ts'

type Guest = Awaited<ReturnType<typeof join>>

const accounts = [
  ['maria', 'maria@example.org'],
  ['Jürgen', 'juergen@example.org'],
  ['נועה', 'noa@example.org'],
] as const

/** A small afternoon in the room. */
const talk: [who: string, text: string][] = [
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
const pauseMs = 47_000

export interface Stage {
  server: Application
  account: Account
  open(options: BrowserContextOptions): Promise<Page>
  /** Lets the afternoon happen, for whoever is in the room now. */
  play(): Promise<void>
  say(who: string, text: string): Promise<unknown>
  close(): Promise<void>
}

/** A server of its own with three accounts and two guests, and a browser to look at it. */
export async function setStage(browser: Browser): Promise<Stage> {
  const server = await startApplication(['server/main.ts'], {
    MESSAGES_PER_SECOND: '0',
    MESSAGES_PER_SECOND_PER_IP: '0',
  })
  const registered = new Map<string, Account>()
  for (const [name, email] of accounts) registered.set(name, await registerAccount(server.url, name, email))
  const account = registered.get('maria')
  if (account === undefined) throw new Error('nobody to log in as')

  const guests = new Map<string, Guest>()
  const enter = async () => {
    for (const [who] of talk) {
      if (!guests.has(who)) guests.set(who, await join(server.url, who, registered.get(who)?.answer.token))
    }
  }
  await enter()

  const say = async (who: string, text: string, createdTime?: number) => guests.get(who)?.say(text, createdTime)
  return {
    server,
    account,
    async open(options) {
      const context = await browser.newContext({ ...options, baseURL: server.url })
      return context.newPage()
    },
    async play() {
      for (const [index, [who, text]] of talk.entries()) await say(who, text, startedAtMs + index * pauseMs)
    },
    say,
    async close() {
      for (const guest of guests.values()) guest.leave()
      await server.dispose()
    },
  }
}
