import { expect, test } from 'vitest'
import type { AdminContext } from './command.ts'
import { privacyCommands } from './privacy-commands.ts'

const account = { id: 'a', name: 'bob' }

/** Creates a context in which each search for messages of the account finds the next of `batches`. */
function createContext(batches: number[][]): AdminContext {
  return {
    accounts: { find: async () => account, revokeSessions: async () => 1, remove: async () => undefined },
    log: { fetchHead: () => null, seqsOfSender: async () => batches.shift() ?? [] },
    moderation: {
      perform: async (_actor: unknown, { seqs }: { seqs: number[] }) => ({ ok: true, removed: seqs.length }),
      isModerator: () => false,
      audit: async () => [],
      eraseName: async () => undefined,
      recordAction: async () => undefined,
    },
  } as unknown as AdminContext
}

test.each([
  [[[1, 2], [3]], 3],
  [[[], [3]], 1],
  [[[1, 2], []], 2],
])('MODERATION-26 users erase counts all removed messages, also those stored later: %j', async (batches, removed) => {
  const erase = privacyCommands.find(({ name }) => name === 'users erase')
  const run = erase?.prepare({ words: ['bob'], options: {}, input: null })
  expect(await run?.(createContext(batches))).toStrictEqual({
    data: { erased: account, removed },
    text: `Erased bob and ${removed} messages. Backups are not changed.`,
  })
})
