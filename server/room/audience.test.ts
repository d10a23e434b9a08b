import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { createAudience } from './audience.ts'
import { entry } from './message-log.suite.ts'
import type { MessageLog, Retention } from './message-log.ts'
import { encodePayload } from './message-packets.ts'
import { maxPageBytes } from './replay-pages.ts'
import { openSqliteLog } from './sqlite/sqlite-log.ts'
import type { Subscriber } from './subscriber.ts'

/** What a reader was given, in order: cursors as they are, messages by their seq. */
interface Reader extends Subscriber {
  got: (number | string | Cursor)[]
  open: boolean
  behind: boolean
  drained: (() => void)[]
}

const createReader = (more: Partial<Reader> = {}): Reader => ({
  got: [],
  open: true,
  behind: false,
  drained: [],
  wantsPositions: true,
  address: '192.0.2.1',
  next: 0,
  live: false,
  inReplay: false,
  asked: null,
  ...more,
})
const keepAll: Retention = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
/** A message by its seq, or by its text where it came without a position. */
function seqOf(packet: string): number | string {
  const [, { message }, position] = JSON.parse(packet.slice(1)) as [string, ChatMessage, Cursor?]
  return position?.seq ?? message
}
const seqs = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** An audience that finds `stored` messages in its log, as after a restart: none of them is in its memory. */
async function openAudience(
  stored: number,
  { retention = keepAll, manualDrain = false, text = 'new', onPage = (_bytes: number): void => undefined } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-audience-'))
  const log = await openSqliteLog(join(folder, 'log.sqlite'), retention)
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  if (stored > 0) await log.append(Array.from({ length: stored }, () => entry(text)))
  let failures = 0
  let reads = 0
  let readFails = false
  let hole: number | null = null
  const shaky: MessageLog = {
    ...log,
    async readAfter(afterSeq, page) {
      reads++
      if (readFails) throw new Error('disk')
      if (hole !== null && afterSeq + 1 === hole) return null
      const messages = await log.readAfter(afterSeq, page)
      return messages?.filter(({ seq }) => hole === null || seq < hole) ?? null
    },
  }
  const audience = createAudience<Reader>(
    shaky,
    {
      confirm: (reader, cursor) => reader.got.push(cursor),
      writeLive(readers, { packets }) {
        for (const { got } of readers) got.push(...packets.map(seqOf))
      },
      writeAndDrain: (reader, { packets, frames }) => {
        onPage(frames.length)
        reader.got.push(...packets.map(seqOf))
        return manualDrain ? new Promise((resolve) => reader.drained.push(resolve)) : Promise.resolve()
      },
      isBehind: ({ behind }) => behind,
      isOpen: ({ open }) => open,
    },
    { maxAgeMs: retention.maxAgeMs, onReplayFailed: () => failures++ },
  )
  return {
    audience,
    failures: () => failures,
    reads: () => reads,
    cutHole: (seq: number | null) => (hole = seq),
    failReads: (fail: boolean) => (readFails = fail),
    at: (seq: number): Cursor => ({ epoch: log.epoch, seq }),
    post: async (count: number): Promise<void> => {
      const entries = Array.from({ length: count }, (_, index) => entry(`${text} ${index}`))
      const outcomes = await log.append(entries)
      audience.publish(
        outcomes.map((outcome, index) => ({
          seq: 'seq' in outcome ? outcome.seq : 0,
          payload: encodePayload((entries[index] ?? entry('')).message),
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

test('REPLAY-1 resume in the middle of a replay only moves the place: no second page before the first has drained', async () => {
  const { audience, at, post } = await openAudience(300, { manualDrain: true })
  const reader = createReader()
  audience.place(reader, at(0))
  await expect.poll(() => reader.got.at(-1)).toBe(200)
  for (const seq of [10, 20, 290]) audience.place(reader, at(seq))
  await post(1)
  expect(reader.drained).toHaveLength(1)
  expect(reader.got.at(-1)).toBe(200)
  reader.drained.shift()?.()
  await expect.poll(() => reader.got.at(-1)).toBe(301)
  reader.drained.shift()?.()
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(0), ...seqs(1, 200), at(290), ...seqs(291, 302)])
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

test('REPLAY-3 a replay that cannot read the disk is tried again by itself, though nobody speaks', async () => {
  const { audience, at, post, failReads, failures } = await openAudience(5)
  const reader = createReader()
  failReads(true)
  audience.place(reader, at(2))
  await expect.poll(failures).toBeGreaterThan(1)
  expect(reader.live).toBe(false)
  failReads(false)
  await expect.poll(() => reader.got).toStrictEqual([at(2), ...seqs(3, 5)])
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got.at(-1)).toBe(6)
})

test('REPLAY-4 a hole in the log is said once, at the head, and the room goes on', async () => {
  const { audience, at, post, cutHole } = await openAudience(20)
  cutHole(8)
  const [before, inside] = [createReader(), createReader()]
  audience.place(before, at(2))
  audience.place(inside, at(7))
  await expect.poll(() => before.live && inside.live).toBe(true)
  await post(1)
  expect(before.got).toStrictEqual([at(2), ...seqs(3, 7), at(20), 21])
  expect(inside.got).toStrictEqual([at(7), at(20), 21])
})

test('REPLAY-4 an empty page is a gap, not a loop', async () => {
  const { audience, at, post, cutHole } = await openAudience(5)
  cutHole(0)
  const reader = createReader()
  audience.place(reader, at(2))
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got).toStrictEqual([at(2), at(5), 6])
})

test('REPLAY-5 a crowd that stands at the same place shares one read for each page', async () => {
  const { audience, at, reads } = await openAudience(400)
  const crowd = Array.from({ length: 50 }, (_, index) => createReader({ address: `192.0.2.${index}` }))
  for (const reader of crowd) audience.place(reader, at(0))
  await expect.poll(() => crowd.every(({ live }) => live)).toBe(true)
  for (const { got } of crowd) expect(got).toStrictEqual([at(0), ...seqs(1, 400)])
  expect(reads()).toBe(2)
})

test('REPLAY-1 a page has at most 128 KB, from memory and from the log, whatever the text', async () => {
  const pages: number[] = []
  for (const stored of [0, 30]) {
    const { audience, at, post } = await openAudience(stored, {
      onPage: (bytes) => pages.push(bytes),
      text: '\u0001'.repeat(4_000),
    })
    await post(30 - stored)
    const reader = createReader()
    audience.place(reader, at(0))
    await expect.poll(() => reader.live && reader.got.length > 1).toBe(true)
    expect(reader.got).toStrictEqual([at(0), ...seqs(1, 30)])
  }
  expect(Math.max(...pages)).toBeLessThanOrEqual(maxPageBytes)
  expect(pages).toHaveLength(12)
})

test('FANOUT-7 who has too much unread is served page by page, as it reads, and misses nothing', async () => {
  const { audience, at, post } = await openAudience(0, { manualDrain: true })
  const [slow, other] = [createReader(), createReader()]
  for (const reader of [slow, other]) audience.place(reader, at(0))
  await post(2)
  slow.behind = true
  await post(2)
  await post(2)
  expect([slow.got.at(-1), other.got.at(-1)]).toStrictEqual([4, 6])
  slow.behind = false
  slow.drained.shift()?.()
  await expect.poll(() => slow.got.at(-1)).toBe(6)
  slow.drained.shift()?.()
  await expect.poll(() => slow.live).toBe(true)
  await post(1)
  for (const { got } of [slow, other]) expect(got).toStrictEqual([at(0), ...seqs(1, 7)])
})

test('WIRE-1 who did not ask for positions gets messages in one argument, live and in replay', async () => {
  const { audience, at, post } = await openAudience(3)
  const reader = createReader({ wantsPositions: false })
  audience.place(reader, at(1))
  await expect.poll(() => reader.live).toBe(true)
  await post(1)
  expect(reader.got.slice(1)).toStrictEqual(['new', 'new', 'new 0'])
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
