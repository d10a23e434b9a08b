import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../contract/messages.ts'
import { removedText } from '../../contract/constants.ts'
import {
  added,
  anonymousSender,
  append,
  entries,
  entry,
  keepAll,
  type LogFixture,
  repeated,
  useLog,
} from './log-fixture.suite.ts'
import type { MessageLog } from './message-log.ts'
import type { Removal } from './removals.ts'

const filled = entry('').message
/** Value of each field after a removal. Of the texts that a user writes, only the name stays. */
const fieldsAfterRemoval: Readonly<Record<keyof ChatMessage, unknown>> = {
  username: filled.username,
  message: removedText,
  createdTime: filled.createdTime,
}

/** Defines the tests of senders and removals. `describeMessageLog` runs them. */
export function describeModeratedLog(name: string, createFixture: () => LogFixture): void {
  describe(`a moderated log on ${name}`, () => {
    let log: MessageLog
    const { texts, expectHead, expectTrimmedPast, reopen } = useLog(createFixture, (opened) => {
      log = opened
    })

    test('MODERATION-1 the sender of a message is stored with it, and messages are found by their sender', async () => {
      const alice = { accountId: 'id of alice', network: '198.51.100.7' }
      const aliceElsewhere = { accountId: 'id of alice', network: '2001:db8:0:1' }
      const visitor = { accountId: null, network: '198.51.100.7' }
      await append(log, [
        entry('a', { sender: alice }),
        entry('b', { sender: visitor }),
        entry('c', { sender: aliceElsewhere }),
        entry('d'),
      ])
      await reopen()
      expect(await log.senderOf(1)).toStrictEqual({ ...alice, username: 'alice' })
      expect(await log.senderOf(2)).toStrictEqual({ ...visitor, username: 'alice' })
      for (const unknown of [0, 5]) expect(await log.senderOf(unknown)).toBeNull()
      expect(await log.seqsOfSender(alice)).toStrictEqual([1, 3])
      expect(await log.seqsOfSender(visitor)).toStrictEqual([2])
      expect(await log.seqsOfSender({ accountId: null, network: '203.0.113.1' })).toStrictEqual([])
      expect(await log.listForOperator(2)).toMatchObject([
        { seq: 3, message: { message: 'c' }, sender: aliceElsewhere },
        { seq: 4, message: { message: 'd' }, sender: anonymousSender },
      ])
      expect(await log.listForOperator(10)).toHaveLength(4)
      expect(await log.listForOperator(2, 4)).toMatchObject([{ seq: 2 }, { seq: 3 }])
      for (const [count, before] of [
        [2, 1],
        [0, undefined],
      ] as const)
        expect(await log.listForOperator(count, before)).toStrictEqual([])
      expect(await log.listForOperator(1, 100)).toMatchObject([{ seq: 4 }])
    })

    test('MODERATION-1 a message of an account keeps its sender without a network; an anonymous message does not', async () => {
      for (const network of ['', null] as string[]) {
        const first = log.bounds().head + 1
        const accountId = `id of alice, ${network}`
        const outcomes = await append(log, [
          entry('a', { sender: { accountId, network } }),
          entry('b', { sender: { accountId: null, network } }),
        ])
        expect(outcomes).toStrictEqual([added(first), added(first + 1)])
        await expectHead(first + 1)
        const sender = { accountId, network: null }
        expect(await log.senderOf(first)).toStrictEqual({ ...sender, username: 'alice' })
        expect(await log.senderOf(first + 1)).toBeNull()
        expect(await log.listForOperator(2)).toMatchObject([{ sender }, { sender: null }])
        expect(await log.seqsOfSender(sender)).toStrictEqual([first])
        expect(await log.seqsOfSender({ accountId: null, network: '' })).toStrictEqual([])
      }
    })

    test('MODERATION-1 the retention deletes the sender with the message', async () => {
      await append(log, entries(3))
      await reopen({ ...keepAll, maxMessages: 1 })
      await expectTrimmedPast(0)
      expect(await log.senderOf(1)).toBeNull()
      expect(await log.seqsOfSender(anonymousSender)).toStrictEqual([3])
      expect(await log.listForOperator(10)).toHaveLength(1)
    })

    test('MODERATION-2 a removal replaces the text, keeps seq, name, time and sender, and survives a reopen', async () => {
      await append(log, [entry('a'), entry('secret'), entry('c')])
      expect(await log.remove([2])).toStrictEqual([2])
      const expectRemoved = async () => {
        await expectHead(3)
        expect(await texts(0)).toStrictEqual(['a', removedText, 'c'])
        const listed = await log.listForOperator(2)
        expect(listed).toMatchObject([
          { seq: 2, sender: anonymousSender, removed: true },
          { seq: 3, removed: false },
        ])
        for (const field of Object.keys(fieldsAfterRemoval) as (keyof ChatMessage)[])
          expect(listed[0]?.message[field], field).toBe(fieldsAfterRemoval[field])
        expect(await log.senderOf(2)).toMatchObject(anonymousSender)
        expect(await log.seqsOfSender(anonymousSender)).toStrictEqual([1, 2, 3])
        expect([log.removals().count(), log.removals().after(0)]).toStrictEqual([1, [2]])
      }
      await expectRemoved()
      await reopen()
      await expectRemoved()
      expect(await append(log, entries(1))).toStrictEqual([added(4)])
    })

    test('MODERATION-2 removals are counted in their order; unknown, trimmed and removed seqs are ignored', async () => {
      await reopen({ ...keepAll, maxMessages: 5 })
      await append(log, entries(8))
      await expectTrimmedPast(0)
      const received: Removal[] = []
      log.subscribe({ onStored: () => undefined, onLogBroken: () => undefined, onRemoved: (one) => received.push(one) })
      expect(await log.remove([7, 1, 9, 7, 4])).toStrictEqual([7, 4])
      expect(await log.remove([4, 5])).toStrictEqual([5])
      expect(await log.remove([5, 100])).toStrictEqual([])
      expect(received).toStrictEqual([
        { removals: 2, seqs: [7, 4] },
        { removals: 3, seqs: [5] },
      ])
      const { count, after, isRemoved } = log.removals()
      expect(count()).toBe(3)
      expect([0, 1, 2, 3, 4].map((known) => after(known))).toStrictEqual([[7, 4, 5], [4, 5], [5], [], []])
      expect([5, 6].map((seq) => isRemoved(seq))).toStrictEqual([true, false])
    })

    test('MODERATION-2 any number of messages can be removed at once', async () => {
      await append(log, entries(1_100))
      const all = Array.from({ length: 1_100 }, (_, index) => index + 1)
      expect(await log.remove(all)).toStrictEqual(all)
      expect(log.removals().after(0)).toStrictEqual(all)
    })

    test('MODERATION-3 a repeat with the id of a removed message gets its seq; a repeat with another time is a conflict', async () => {
      const first = entry('secret', { id: randomUUID() })
      await append(log, [first])
      await log.remove([1])
      expect(await append(log, [first])).toStrictEqual([repeated(1)])
      const changed = { ...first, message: { ...first.message, createdTime: 1 } }
      expect(await append(log, [changed])).toStrictEqual([{ rejected: 'id_conflict' }])
      await expectHead(1)
      expect(await texts(0)).toStrictEqual([removedText])
    })
  })
}
