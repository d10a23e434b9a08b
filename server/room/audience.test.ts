import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Cursor } from '../../contract/messages.ts'
import { createAudience } from './audience.ts'
import { entry } from './message-log.suite.ts'
import type { MessageLog, Retention } from './message-log.ts'
import { openSqliteLog } from './sqlite/sqlite-log.ts'
import type { Subscriber } from './subscriber.ts'

/** What a reader was given, in order: cursors as they are, messages by their seq. */
interface Reader extends Subscriber {
  got: (number | Cursor)[]
  open: boolean
  drained: (() => void)[]
}

const createReader = (): Reader => ({ got: [], open: true, drained: [], next: 0, live: false, placement: 0 })
const keepAll: Retention = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
const seqOf = (packet: string) => (JSON.parse(packet.slice(1)) as [string, unknown, Cursor])[2].seq
const seqs = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** An audience that finds `stored` messages in its log, as after a restart: none of them is in its memory. */
async function openAudience(stored: number, { retention = keepAll, manualDrain = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-audience-'))
  const log = await openSqliteLog(join(folder, 'log.sqlite'), retention)
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  if (stored > 0) await log.append(Array.from({ length: stored }, () => entry('old')))
  let failures = 0
  let readFails = false
  const shaky: MessageLog = {
    ...log,
    readAfter: (...args) => (readFails ? Promise.reject(new Error('disk')) : log.readAfter(...args)),
  }
  const audience = createAudience<Reader>(
    shaky,
    {
      confirm: (reader, cursor) => reader.got.push(cursor),
      write(readers, { packets }) {
        for (const { got } of readers) got.push(...packets.map(seqOf))
      },
      writeAndDrain: (reader, { packets }) => {
        reader.got.push(...packets.map(seqOf))
        return manualDrain ? new Promise((resolve) => reader.drained.push(resolve)) : Promise.resolve()
      },
      isOpen: ({ open }) => open,
    },
    () => failures++,
  )
  return {
    audience,
    failures: () => failures,
    failReads: (fail: boolean) => (readFails = fail),
    at: (seq: number): Cursor => ({ epoch: log.epoch, seq }),
    post: async (count: number): Promise<void> => {
      const entries = Array.from({ length: count }, (_, index) => entry(`new ${index}`))
      const outcomes = await log.append(entries)
      audience.publish(
        outcomes.map((outcome, index) => ({
          seq: 'seq' in outcome ? outcome.seq : 0,
          message: (entries[index] ?? entry('')).message,
        })),
      )
    },
  }
}

test('DELIVERY-3 a returning reader gets what it missed page by page, then goes live, without gap or overlap', async () => {
  const { audience, at, post } = await openAudience(450, { manualDrain: true })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got).toStrictEqual([at(0), ...seqs(1, 200)])
  await post(3)
  expect(reader.got.at(-1)).toBe(200)
  for (const last of [400, 453]) {
    reader.drained.shift()?.()
    await expect.poll(() => reader.got.at(-1)).toBe(last)
  }
  await post(2)
  expect(reader.got.at(-1)).toBe(453)
  reader.drained.shift()?.()
  await expect.poll(() => reader.got.at(-1)).toBe(455)
  reader.drained.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, 456)])
})

test('DELIVERY-4 resume in the middle of a replay: the old one ends, the new one begins behind its cursor', async () => {
  const { audience, at, post } = await openAudience(300, { manualDrain: true })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got.at(-1)).toBe(200)
  audience.place(reader, at(290))
  await expect.poll(() => reader.got.at(-1)).toBe(300)
  for (const drained of reader.drained) drained()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, 200), at(290), ...seqs(291, 301)])
})

test('DELIVERY-4 trimmed under a replay: the reader is confirmed at the head, never a silent gap', async () => {
  const { audience, at, post } = await openAudience(600, {
    retention: { ...keepAll, maxMessages: 600 },
    manualDrain: true,
  })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got.at(-1)).toBe(200)
  await post(500)
  reader.drained.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, 200), at(1_100), 1_101])
})

test('DELIVERY-3 a replay that cannot read the disk starts again with the next flush', async () => {
  const { audience, at, post, failReads, failures } = await openAudience(5)
  const reader = createReader()
  failReads(true)
  audience.place(reader, at(2))
  await expect.poll(failures).toBe(1)
  failReads(false)
  await post(1)
  await expect.poll(() => reader.got).toStrictEqual([at(2), ...seqs(3, 6)])
  await expect.poll(() => reader.live).toBe(true)
})

test('DELIVERY-3 one who has left, or whose connection has closed, gets nothing more', async () => {
  const { audience, at, post } = await openAudience(300, { manualDrain: true })
  const [left, closed] = [createReader(), createReader()]
  audience.place(left, at(0))
  audience.place(closed, at(0))
  await expect.poll(() => [left.got.at(-1), closed.got.at(-1)]).toStrictEqual([200, 200])
  audience.leave(left)
  closed.open = false
  for (const reader of [left, closed]) reader.drained.shift()?.()
  await post(1)
  expect([left.got.at(-1), closed.got.at(-1)]).toStrictEqual([200, 200])
})
