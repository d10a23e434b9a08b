import { keptBytesBudget, maxKeptMessages } from '../../../web/connection/receive/message-buffer.ts'
import { maxPressed } from '../../../web/connection/send/sender.ts'
import { plainUpTo } from '../../../web/room/list/drawn-window.ts'
import { count, mib } from '../figures.ts'
import type { Limit } from './limit.ts'

export const pageLimits: readonly Limit[] = [
  {
    what: 'Messages in the outbox',
    limit: String(maxPressed),
    beyond: 'the page says so and keeps the text in the field',
    tests: 'OUTBOX-3',
  },
  {
    what: 'Messages in memory',
    limit: `${count(maxKeptMessages)}, ${mib(keptBytesBudget)}`,
    beyond: 'the oldest are dropped, and the list says so',
    tests: 'READING-11',
  },
  {
    what: 'Messages in the DOM',
    limit: count(plainUpTo),
    beyond: 'the list is virtual',
    tests: 'READING-7',
  },
]
