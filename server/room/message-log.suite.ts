import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { maxCreatedTimeMs } from '../../contract/limits.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import type { AppendOutcome, LogEntry, MessageLog, PageLimits, Retention, LogBounds } from './message-log.ts'

/** Where one log lives: it can be opened again, and its storage can be taken away for a while. */
export interface LogFixture {
  open(retention: Retention): Promise<MessageLog>
  /** Nothing can be stored until the returned function is called. */
  blockStorage(): () => void
  remove(): void
}

const keepAll: Retention = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
const largePage: PageLimits = { maxMessages: 10_000, maxCharacters: 10_000_000 }

export function entry(message: string, more: Partial<Omit<LogEntry, 'message'>> = {}): LogEntry {
  // Every field there is: one that a log drops is missed where the entry is read again.
  const filled: Required<ChatMessage> = { username: 'alice', message, createdTime: 1_700_000_000_000 }
  return { message: filled, id: null, after: null, ...more }
}

/** For each field another value, and whether the same id with it is a conflict. Who logs in in between has another name. */
const otherValues: { [Field in keyof ChatMessage]-?: [value: Required<ChatMessage>[Field], conflicts: boolean] } = {
  username: ['bob', false],
  message: ['b', true],
  createdTime: [1, true],
}

/** Resolves to what became of each. */
export async function append(log: MessageLog, entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]> {
  const { promise, resolve } = Promise.withResolvers<readonly AppendOutcome[]>()
  await log.append(entries, resolve)
  return promise
}

const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(`message ${index}`))
const added = (seq: number) => ({ seq, repeated: false })
const repeated = (seq: number) => ({ seq, repeated: true })

/** What every message log promises; run it against each implementation. */
export function describeMessageLog(name: string, createPlace: () => LogFixture): void {
  describe(`a message log on ${name}`, () => {
    let place: LogFixture
    let log: MessageLog
    const at = (seq: number) => ({ epoch: log.bounds().epoch, seq })
    /** A log that others share hears of what is stored a moment after it is. */
    const stands = (range: Omit<LogBounds, 'epoch'>) => expect.poll(() => log.bounds()).toMatchObject(range)
    const hears = (head: number) => expect.poll(() => log.bounds().head).toBe(head)
    const texts = async (afterSeq: number, page = largePage) =>
      (await log.readAfter(at(afterSeq), page))?.map(({ message }) => message.message) ?? null

    beforeEach(async () => {
      place = createPlace()
      log = await place.open(keepAll)
    })
    afterEach(async () => {
      await log.close()
      place.remove()
    })
    async function reopen(retention = keepAll): Promise<void> {
      await log.close()
      log = await place.open(retention)
    }
    const trimmedBeyond = (seq: number) => expect.poll(() => texts(seq), { timeout: 10_000 }).toBeNull()

    test('DELIVERY-1 seqs are dense, from 1 on, over any number of batches', async () => {
      await stands({ oldest: 1, head: 0 })
      expect(await append(log, entries(3))).toStrictEqual([added(1), added(2), added(3)])
      const batches = await Promise.all(Array.from({ length: 20 }, () => append(log, entries(5))))
      expect(batches.flat()).toStrictEqual(Array.from({ length: 100 }, (_, index) => added(index + 4)))
      await stands({ oldest: 1, head: 103 })
    })

    test('DELIVERY-1 the epoch stays over a reopening, and no other log has it', async () => {
      const { epoch } = log.bounds()
      await append(log, entries(2))
      await reopen()
      expect(log.bounds().epoch).toBe(epoch)
      await stands({ oldest: 1, head: 2 })
      expect(await append(log, entries(1))).toStrictEqual([added(3)])
      const otherPlace = createPlace()
      const other = await otherPlace.open(keepAll)
      expect(other.bounds().epoch).not.toBe(epoch)
      await other.close()
      otherPlace.remove()
    })

    test('DELIVERY-1 a log trimmed empty and opened again never gives out a seq twice', async () => {
      await append(log, entries(3))
      await reopen({ ...keepAll, maxAgeMs: 1 })
      await trimmedBeyond(2)
      await stands({ oldest: 4, head: 3 })
      expect(await texts(3)).toStrictEqual([])
      await reopen()
      await stands({ oldest: 4, head: 3 })
      expect(await append(log, entries(1))).toStrictEqual([added(4)])
    })

    test('DELIVERY-2 a repeat returns the first seq and adds nothing, in one batch, later, and after a reopening', async () => {
      const [a, b] = [entry('a', { id: randomUUID() }), entry('b', { id: randomUUID() })]
      expect(await append(log, [a, b, a])).toStrictEqual([added(1), added(2), repeated(1)])
      expect(await append(log, [b, entry('c')])).toStrictEqual([repeated(2), added(3)])
      await reopen()
      expect(await append(log, [a])).toStrictEqual([repeated(1)])
      await hears(3)
      expect(await texts(0)).toStrictEqual(['a', 'b', 'c'])
    })

    test('DELIVERY-2 the same id with another message or createdTime is a conflict; another username is not', async () => {
      const first = entry('a', { id: randomUUID() })
      await append(log, [first])
      for (const [field, [value, conflicts]] of Object.entries(otherValues)) {
        const changed = { ...first, message: { ...first.message, [field]: value } }
        expect(await append(log, [changed]), field).toStrictEqual([
          conflicts ? { rejected: 'id_conflict' } : repeated(1),
        ])
      }
      await hears(1)
      expect(await texts(0)).toStrictEqual(['a'])
    })

    test('DELIVERY-2 an id of another epoch, or of a place the log cannot know, is expired and not stored', async () => {
      await append(log, entries(2))
      const after = (epoch: string, seq: number) => entry('late', { id: randomUUID(), after: { epoch, seq } })
      expect(
        await append(log, [after('another', 1), after(log.bounds().epoch, 3), after(log.bounds().epoch, 2)]),
      ).toStrictEqual([{ rejected: 'expired' }, { rejected: 'expired' }, added(3)])
      await stands({ oldest: 1, head: 3 })
    })

    test('DELIVERY-2 trimmed past its cursor a new message is expired, but a repeat that is still held is found', async () => {
      const after = at(0)
      const [gone, held] = [entry('gone', { id: randomUUID(), after }), entry('held', { id: randomUUID(), after })]
      await append(log, [gone, ...entries(8), held])
      await reopen({ ...keepAll, maxMessages: 5 })
      await append(log, [entry('last')])
      await stands({ oldest: 7, head: 11 })
      expect(await append(log, [gone, held])).toStrictEqual([{ rejected: 'expired' }, repeated(10)])
      expect(await texts(10)).toStrictEqual(['last'])
    })

    test('DELIVERY-3 readAfter gives pages by count and by characters, in order, each with something in it', async () => {
      await append(
        log,
        ['a', 'bb', 'cccc', 'd', 'e'].map((text) => entry(text)),
      )
      await hears(5)
      expect(await log.readAfter(at(3), largePage)).toStrictEqual([
        { seq: 4, message: entry('d').message },
        { seq: 5, message: entry('e').message },
      ])
      expect(await texts(0, { ...largePage, maxMessages: 2 })).toStrictEqual(['a', 'bb'])
      expect(await texts(1, { ...largePage, maxCharacters: 3 })).toStrictEqual(['bb', 'cccc'])
      expect(await texts(2, { ...largePage, maxCharacters: 1 })).toStrictEqual(['cccc'])
      expect(await texts(5)).toStrictEqual([])
    })

    test('DELIVERY-4 retention by count: what is older is gone, and readAfter says so by null', async () => {
      await reopen({ ...keepAll, maxMessages: 3 })
      await append(log, entries(10))
      await append(log, [entry('last')])
      await stands({ oldest: 9, head: 11 })
      expect(await texts(8)).toStrictEqual(['message 8', 'message 9', 'last'])
      expect(await texts(7)).toBeNull()
    })

    test('DELIVERY-4 retention by age: a quiet log forgets too', async () => {
      await reopen({ ...keepAll, maxAgeMs: 20 })
      await append(log, entries(10))
      await trimmedBeyond(9)
      await stands({ oldest: 11, head: 10 })
    })

    test('DELIVERY-1 a failed append stores nothing, and the next one goes on where the log ends', async () => {
      const lost = entry('lost', { id: randomUUID() })
      await append(log, entries(2))
      const giveBack = place.blockStorage()
      try {
        await expect(append(log, [lost])).rejects.toThrow()
        await expect(log.check()).rejects.toThrow()
        await stands({ oldest: 1, head: 2 })
      } finally {
        giveBack()
      }
      await log.check()
      expect(await texts(0)).toStrictEqual(['message 0', 'message 1'])
      expect(await append(log, [entry('next'), lost])).toStrictEqual([added(3), added(4)])
      await hears(4)
      expect(await texts(2)).toStrictEqual(['next', 'lost'])
    }, 20_000)

    test('DELIVERY-1 whatever the text and the time, what is read is what was written', async () => {
      const written = ['\0', 'a\0b', '👩‍👩‍👧 😀', '\u2028\u202e', "'; DROP TABLE messages; --", '\n\t '].map((text) =>
        entry(text),
      )
      for (const createdTime of [0, maxCreatedTimeMs]) {
        written.push({ ...entry('time'), message: { username: 'a\0 😀', message: 'time', createdTime } })
      }
      const withId = written.map((one) => ({ ...one, id: randomUUID() }))
      await append(log, withId)
      await hears(withId.length)
      const read = await log.readAfter(at(0), largePage)
      expect(read?.map(({ message }) => message)).toStrictEqual(written.map(({ message }) => message))
      expect(await append(log, withId)).toStrictEqual(withId.map((_, index) => repeated(index + 1)))
    })

    test('DELIVERY-3 a cursor of another epoch, or beyond the head, is bridged by nothing', async () => {
      await append(log, entries(3))
      await stands({ oldest: 1, head: 3 })
      expect(await log.readAfter({ epoch: 'another', seq: 1 }, largePage)).toBeNull()
      expect(await log.readAfter(at(4), largePage)).toBeNull()
    })

    test('DELIVERY-1 what is stored is heard once, in order, right behind the stand that the log opened with', async () => {
      const heard: string[] = []
      await append(log, entries(2))
      await log.close()
      log = await place.open(keepAll)
      log.subscribe({
        onStored({ epoch, messages }) {
          for (const { seq, message } of messages) heard.push(`${epoch} ${seq} ${message.message}`)
        },
        onLogBroken: () => undefined,
      })
      const { epoch } = log.bounds()
      const once = entry('once', { id: randomUUID() })
      await Promise.all([append(log, [once, entry('next'), once]), append(log, [once]), append(log, [entry('last')])])
      const expected = ['3 once', '4 next', '5 last'].map((text) => `${epoch} ${text}`)
      await expect.poll(() => heard).toStrictEqual(expected)
      await stands({ oldest: 1, head: 5 })
    })

    test('DELIVERY-1 a closed log stores nothing more', async () => {
      await log.close()
      await expect(append(log, entries(1))).rejects.toThrow()
      await expect(log.readAfter(at(0), largePage)).rejects.toThrow()
      await log.close()
    })
  })
}
