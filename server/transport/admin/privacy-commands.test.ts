import { expect, test } from 'vitest'
import type { AdminContext } from './command.ts'
import { privacyCommands } from './privacy-commands.ts'

const account = { id: 'a', name: 'bob' }

/** Creates a context in which each search for messages of the account finds the next element of `batches`. */
function createContext(batches: number[][]): AdminContext {
  return {
    accounts: { find: async () => account, resetPassword: async () => 'generated', remove: async () => undefined },
    log: { fetchHead: () => null, seqsOfSender: async () => batches.shift() ?? [] },
    moderation: {
      perform: async (_actor: unknown, { seqs }: { seqs: number[] }) => ({ ok: true, removed: seqs.length }),
      isModerator: () => false,
      audit: async () => [],
      eraseNames: async () => undefined,
      recordAction: async () => undefined,
    },
  } as unknown as AdminContext
}

async function run(command: string, context: AdminContext, options: Record<string, string> = {}) {
  const found = privacyCommands.find(({ name }) => name === command)
  if (found === undefined) throw new Error(`no command ${command}`)
  return found.prepare({ words: ['bob'], options, input: null })(context)
}

test.each([
  [[[1, 2], [3]], 3, '3 messages'],
  [[[], [3]], 1, '1 message'],
  [[[1, 2], []], 2, '2 messages'],
])(
  'MODERATION-26 users erase counts all removed messages, also those stored later: %j',
  async (batches, removed, counted) => {
    expect(await run('users erase', createContext(batches))).toStrictEqual({
      data: { erased: account, removed },
      text: `Erased bob and the texts of ${counted}. The sender's name of each message stays until the message expires. Backups are not changed.`,
    })
  },
)

test('MODERATION-14 users erase locks the account first, erases its names by its id, and deletes the account last', async () => {
  const calls: string[] = []
  const context = createContext([[1], [2]])
  Object.assign(context.accounts, {
    resetPassword: async ({ id }: typeof account, given: null, record: () => Promise<void>) => {
      await record()
      calls.push(`lock ${id} ${given}`)
    },
    remove: async ({ id }: typeof account) => calls.push(`delete ${id}`),
  })
  Object.assign(context.moderation, {
    recordAction: async () => calls.push('record'),
    perform: async (_actor: unknown, { type }: { type: string }) => {
      calls.push(type)
      return { ok: true }
    },
    eraseNames: async (id: string) => calls.push(`erase ${id}`),
  })
  await run('users erase', context)
  expect(calls).toStrictEqual(['record', 'lock a null', 'remove', 'erase a', 'remove', 'delete a'])
})

/** Creates a log whose messages are all from the account, with texts of `textLength` characters. */
function createLog(count: number, textLength: number) {
  return {
    seqsOfSender: async () => Array.from({ length: count }, (_, index) => index + 1),
    listForOperator: async (_count: number, before: number) => [
      {
        seq: before - 1,
        message: { username: 'bob', message: 'x'.repeat(textLength), createdTime: 1 },
        sender: { accountId: 'a', network: '192.0.2.1' },
        removed: false,
        later: 'column',
      },
    ],
  }
}

test('MODERATION-29 users export contains the account, its sessions and networks, and all stored fields of its messages', async () => {
  const context = createContext([])
  const stored = { position: 1, id: 'a', name: 'bob', email: 'bob@example.org', later: 'column' }
  const sessions = [{ expiresAtMs: 1 }]
  const networks = [{ network: '192.0.2.1', usedAtMs: 1 }]
  Object.assign(context, { log: createLog(1, 2) })
  Object.assign(context.accounts, { export: async () => stored, listSessions: async () => sessions })
  Object.assign(context.moderation, { restrictions: () => [], networksOf: async () => networks })
  const { data } = await run('users export', context)
  const message = { username: 'bob', message: 'xx', createdTime: 1 }
  const messages = [{ seq: 1, ...message, network: '192.0.2.1', removed: false, later: 'column' }]
  expect(data).toMatchObject({ account: stored, sessions, networks, messages })
})

test('MODERATION-26 users export limits the texts of one export, and the next export continues after it', async () => {
  const context = createContext([])
  Object.assign(context, { log: createLog(10, 1_500_000) })
  Object.assign(context.accounts, { export: async () => ({}), listSessions: async () => [] })
  Object.assign(context.moderation, { restrictions: () => [], networksOf: async () => [] })
  const exported = async (options: Record<string, string>) => {
    const { messages, next } = (await run('users export', context, options)).data as {
      messages: { seq: number }[]
      next?: number
    }
    return { seqs: messages.map(({ seq }) => seq), next }
  }
  expect(await exported({})).toStrictEqual({ seqs: [1, 2, 3], next: 3 })
  expect(await exported({ after: '3' })).toStrictEqual({ seqs: [4, 5, 6], next: 6 })
  expect(await exported({ after: '7' })).toStrictEqual({ seqs: [8, 9, 10], next: undefined })
})
