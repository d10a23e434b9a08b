import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { maxCreatedTimeMs } from '../../contract/limits.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import {
  added,
  append,
  entries,
  entry,
  keepAll,
  largePage,
  type LogFixture,
  repeated,
  useLog,
} from './log-fixture.suite.ts'
import type { LogBounds, MessageLog } from './message-log.ts'
import { describeModeratedLog } from './moderated-log.suite.ts'

/**
 * Another value for each field, and whether it conflicts under the same id. A repeat can have another name, because the
 * name changes when the user logs in.
 */
const otherValues: { [Field in keyof ChatMessage]-?: [value: Required<ChatMessage>[Field], conflicts: boolean] } = {
  username: ['bob', false],
  message: ['b', true],
  createdTime: [1, true],
}

/** Defines all tests of a message log. Run them for each implementation. */
export function describeMessageLog(name: string, createFixture: () => LogFixture): void {
  describeModeratedLog(name, createFixture)
  describe(`a message log on ${name}`, () => {
    let log: MessageLog
    const { at, texts, expectHead, expectTrimmedPast, blockStorage, reopen } = useLog(createFixture, (opened) => {
      log = opened
    })
    /** Expects these bounds of the log. Polls, because a shared log updates its bounds a moment after the append. */
    const expectBounds = (range: Omit<LogBounds, 'epoch'>) => expect.poll(() => log.bounds()).toMatchObject(range)

    test('DELIVERY-1 seqs are dense and start at 1, over any number of batches', async () => {
      await expectBounds({ oldest: 1, head: 0 })
      expect(await append(log, entries(3))).toStrictEqual([added(1), added(2), added(3)])
      const batches = await Promise.all(Array.from({ length: 20 }, () => append(log, entries(5))))
      expect(batches.flat()).toStrictEqual(Array.from({ length: 100 }, (_, index) => added(index + 4)))
      await expectBounds({ oldest: 1, head: 103 })
    })

    test('DELIVERY-1 the epoch survives a reopen, and another log has another epoch', async () => {
      const { epoch } = log.bounds()
      await append(log, entries(2))
      await reopen()
      expect(log.bounds().epoch).toBe(epoch)
      await expectBounds({ oldest: 1, head: 2 })
      expect(await append(log, entries(1))).toStrictEqual([added(3)])
      const otherFixture = createFixture()
      const other = await otherFixture.open(keepAll)
      expect(other.bounds().epoch).not.toBe(epoch)
      await other.close()
      otherFixture.remove()
    })

    test('DELIVERY-1 a log that was trimmed empty and reopened assigns no seq twice', async () => {
      await append(log, entries(3))
      await reopen({ ...keepAll, maxAgeMs: 1 })
      await expectTrimmedPast(2)
      await expectBounds({ oldest: 4, head: 3 })
      expect(await texts(3)).toStrictEqual([])
      await reopen()
      await expectBounds({ oldest: 4, head: 3 })
      expect(await append(log, entries(1))).toStrictEqual([added(4)])
    })

    test('DELIVERY-2 a repeat gets the first seq and is not stored, in the same batch, later, and after a reopen', async () => {
      const [a, b] = [entry('a', { id: randomUUID() }), entry('b', { id: randomUUID() })]
      expect(await append(log, [a, b, a])).toStrictEqual([added(1), added(2), repeated(1)])
      expect(await append(log, [b, entry('c')])).toStrictEqual([repeated(2), added(3)])
      await reopen()
      expect(await append(log, [a])).toStrictEqual([repeated(1)])
      await expectHead(3)
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
      await expectHead(1)
      expect(await texts(0)).toStrictEqual(['a'])
    })

    test('DELIVERY-2 an entry with a cursor of another epoch or beyond the head is expired and not stored', async () => {
      await append(log, entries(2))
      const after = (epoch: string, seq: number) => entry('late', { id: randomUUID(), after: { epoch, seq } })
      expect(
        await append(log, [after('another', 1), after(log.bounds().epoch, 3), after(log.bounds().epoch, 2)]),
      ).toStrictEqual([{ rejected: 'expired' }, { rejected: 'expired' }, added(3)])
      await expectBounds({ oldest: 1, head: 3 })
    })

    test('DELIVERY-2 after the log is trimmed past the cursor, a new entry is expired and a stored repeat is found', async () => {
      const after = at(0)
      const [gone, held] = [entry('gone', { id: randomUUID(), after }), entry('held', { id: randomUUID(), after })]
      await append(log, [gone, ...entries(8), held])
      await reopen({ ...keepAll, maxMessages: 5 })
      await append(log, [entry('last')])
      await expectBounds({ oldest: 7, head: 11 })
      expect(await append(log, [gone, held])).toStrictEqual([{ rejected: 'expired' }, repeated(10)])
      expect(await texts(10)).toStrictEqual(['last'])
    })

    test('DELIVERY-3 readAfter limits pages by count and characters, in order, with at least one message', async () => {
      await append(
        log,
        ['a', 'bb', 'cccc', 'd', 'e'].map((text) => entry(text)),
      )
      await expectHead(5)
      expect(await log.readAfter(at(3), largePage)).toStrictEqual([
        { seq: 4, message: entry('d').message },
        { seq: 5, message: entry('e').message },
      ])
      expect(await texts(0, { ...largePage, maxMessages: 2 })).toStrictEqual(['a', 'bb'])
      expect(await texts(1, { ...largePage, maxCharacters: 3 })).toStrictEqual(['bb', 'cccc'])
      expect(await texts(2, { ...largePage, maxCharacters: 1 })).toStrictEqual(['cccc'])
      expect(await texts(5)).toStrictEqual([])
    })

    test('DELIVERY-4 retention by count removes older messages, and readAfter returns null for them', async () => {
      await reopen({ ...keepAll, maxMessages: 3 })
      await append(log, entries(10))
      await append(log, [entry('last')])
      await expectBounds({ oldest: 9, head: 11 })
      expect(await texts(8)).toStrictEqual(['message 8', 'message 9', 'last'])
      expect(await texts(7)).toBeNull()
    })

    test('DELIVERY-4 retention by age also trims a log without appends', async () => {
      await reopen({ ...keepAll, maxAgeMs: 20 })
      await append(log, entries(10))
      await expectTrimmedPast(9)
      await expectBounds({ oldest: 11, head: 10 })
    })

    test('DELIVERY-1 a failed append stores nothing, and the next one continues at the head', async () => {
      const lost = entry('lost', { id: randomUUID() })
      await append(log, entries(2))
      const unblock = blockStorage()
      try {
        await expect(append(log, [lost])).rejects.toThrow()
        await expect(log.check()).rejects.toThrow()
        await expectBounds({ oldest: 1, head: 2 })
      } finally {
        unblock()
      }
      await log.check()
      expect(await texts(0)).toStrictEqual(['message 0', 'message 1'])
      expect(await append(log, [entry('next'), lost])).toStrictEqual([added(3), added(4)])
      await expectHead(4)
      expect(await texts(2)).toStrictEqual(['next', 'lost'])
    }, 20_000)

    test('DELIVERY-1 messages are read as they were written, whatever the text and the time', async () => {
      const written = ['\0', 'a\0b', '👩‍👩‍👧 😀', '\u2028\u202e', "'; DROP TABLE messages; --", '\n\t '].map((text) =>
        entry(text),
      )
      for (const createdTime of [0, maxCreatedTimeMs]) {
        written.push({ ...entry('time'), message: { username: 'a\0 😀', message: 'time', createdTime } })
      }
      const withId = written.map((message) => ({ ...message, id: randomUUID() }))
      await append(log, withId)
      await expectHead(withId.length)
      const read = await log.readAfter(at(0), largePage)
      expect(read?.map(({ message }) => message)).toStrictEqual(written.map(({ message }) => message))
      expect(await append(log, withId)).toStrictEqual(withId.map((_, index) => repeated(index + 1)))
    })

    test('DELIVERY-3 readAfter returns null for a cursor of another epoch or beyond the head', async () => {
      await append(log, entries(3))
      await expectBounds({ oldest: 1, head: 3 })
      expect(await log.readAfter({ epoch: 'another', seq: 1 }, largePage)).toBeNull()
      expect(await log.readAfter(at(4), largePage)).toBeNull()
    })

    test('DELIVERY-1 the listener gets each message that is stored after the opening once, in order', async () => {
      const received: string[] = []
      await append(log, entries(2))
      await reopen()
      log.subscribe({
        onStored({ epoch, messages }) {
          for (const { seq, message } of messages) received.push(`${epoch} ${seq} ${message.message}`)
        },
        onRemoved: () => undefined,
        onLogBroken: () => undefined,
      })
      const { epoch } = log.bounds()
      const once = entry('once', { id: randomUUID() })
      await Promise.all([append(log, [once, entry('next'), once]), append(log, [once]), append(log, [entry('last')])])
      const expected = ['3 once', '4 next', '5 last'].map((text) => `${epoch} ${text}`)
      await expect.poll(() => received).toStrictEqual(expected)
      await expectBounds({ oldest: 1, head: 5 })
    })

    test('DELIVERY-1 a closed log rejects appends and reads', async () => {
      await log.close()
      await expect(append(log, entries(1))).rejects.toThrow()
      await expect(log.readAfter(at(0), largePage)).rejects.toThrow()
      await log.close()
    })
  })
}
