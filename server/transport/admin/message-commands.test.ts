import { expect, test } from 'vitest'
import type { OperatorMessage } from '../../room/message-log.ts'
import type { AdminContext } from './command.ts'
import { parseCommand } from './parse-command.ts'

const storedMessages = 3_000

/**
 * Creates a log whose texts have `textLength` characters, and records the page sizes of its reads. Every second message
 * is from ann.
 */
function createLog(textLength: number, stored = storedMessages) {
  const pages: number[] = []
  const messageAt = (seq: number): OperatorMessage => ({
    seq,
    message: { username: seq % 2 === 0 ? 'ann' : 'bob', message: 'x'.repeat(textLength), createdTime: seq },
    sender: null,
    removed: false,
  })
  return {
    pages,
    async listForOperator(count: number, before = stored + 1): Promise<OperatorMessage[]> {
      const last = Math.min(stored, before - 1)
      const first = Math.max(1, last - count + 1)
      pages.push(count)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => messageAt(first + index))
    },
  }
}

async function list(log: ReturnType<typeof createLog>, ...options: string[]) {
  const { run } = parseCommand(['messages', 'list', ...options], null)
  const { data, text } = await run({ log } as unknown as AdminContext)
  const { messages, next } = data as { messages: { seq: number; text: string }[]; next?: number }
  return { seqs: messages.map(({ seq }) => seq), next, text }
}

const allSeqs = Array.from({ length: storedMessages }, (_, index) => index + 1)

test('MODERATION-26 messages list reads the log in pages, and returns as many messages as requested', async () => {
  const log = createLog(10)
  expect(await list(log, '--last', '10000')).toMatchObject({ seqs: allSeqs, next: undefined })
  expect(Math.max(...log.pages)).toBeLessThanOrEqual(500)
  expect(await list(log, '--last', '3')).toMatchObject({ seqs: [2_998, 2_999, 3_000], next: 2_998 })
  expect((await list(log, '--last', '2', '--before', '10')).seqs).toStrictEqual([8, 9])
  expect((await list(log, '--last', '2', '--from', 'ann')).seqs).toStrictEqual([2_998, 3_000])
  expect((await list(log, '--last', '10000', '--from', 'ann')).seqs).toHaveLength(storedMessages / 2)
  expect((await list(log, '--before', '1')).text).toBe('No messages found.')
})

test('MODERATION-26 messages list searches 10,000 messages for a name, and returns where to continue', async () => {
  const log = createLog(10, 25_000)
  const first = await list(log, '--last', '10000', '--from', 'ann')
  expect(first).toMatchObject({ seqs: { length: 5_000 }, next: 15_001 })
  expect((await list(log, '--last', '10000', '--from', 'ann', '--before', '15001')).next).toBe(5_001)
  const last = await list(log, '--last', '10000', '--from', 'ann', '--before', '5001')
  expect(last).toMatchObject({ seqs: { length: 2_500 }, next: undefined })
  expect((await list(log, '--last', '5000', '--from', 'ann')).next).toBe(15_002)
})

test('MODERATION-26 messages list ends before its texts fill the memory, and returns where to continue', async () => {
  const log = createLog(4_000)
  const seqs: number[] = []
  const options = ['--last', '10000']
  let shown = await list(log, ...options)
  expect(shown.next).toBe(storedMessages - 999)
  for (; shown.next !== undefined; shown = await list(log, ...options, '--before', `${shown.next}`)) {
    expect(shown.seqs).toHaveLength(1_000)
    expect(shown.text).toMatch(new RegExp(`--before ${shown.next}$`))
    seqs.unshift(...shown.seqs)
  }
  expect([...shown.seqs, ...seqs]).toStrictEqual(allSeqs)
})
