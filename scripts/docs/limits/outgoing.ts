import { maxPageBytes, maxPageMessages, readLimits } from '../../../server/room/deliver/replay-pages.ts'
import { bytesPerSecond as listBytesPerSecond } from '../../../server/room/presence/whole-lists.ts'
import { maxPacketsPerResponse, maxUnreadReplies } from '../../../server/transport/fast-path/polling-responses.ts'
import {
  maxUnreadBytesInTotal,
  maxUnreadBytesPerAddress,
  maxUnwritableMs,
} from '../../../server/transport/http/protection/limit-requests.ts'
import { maxIdleMs, maxUnreadBytes } from '../../../server/transport/sockets/guarded-writer.ts'
import { count, kib, mib, seconds } from '../figures.ts'
import type { Limit } from './limit.ts'

export const outgoingLimits: readonly Limit[] = [
  {
    what: 'Unread HTTP responses',
    limit: `${mib(maxUnreadBytesPerAddress)} per address, ${mib(maxUnreadBytesInTotal)} in total, ${seconds(maxUnwritableMs)} without progress`,
    beyond: '429, connection closed',
    tests: 'EDGE-2',
  },
  {
    what: 'Unread live messages',
    limit: `${mib(maxUnreadBytes)} before another write, ${seconds(maxIdleMs)} without progress`,
    beyond: 'closed as a slow consumer; replay after reconnect',
    tests: 'FANOUT-1',
  },
  {
    what: 'Packets in one polling response',
    limit: String(maxPacketsPerResponse),
    beyond: 'the next response has the rest',
    tests: 'WIRE-4',
  },
  {
    what: 'Replay',
    limit: `one page of ${kib(maxPageBytes)} and ${maxPageMessages} messages in flight; one read of ${readLimits.maxMessages} messages and ${count(readLimits.maxCharacters)} characters`,
    beyond: 'the next page waits',
    tests: 'REPLAY-1',
  },
  {
    what: 'Online lists',
    limit: `one unread list; ${mib(listBytesPerSecond)} per second for all connections`,
    beyond: 'the next list waits',
    tests: 'PRESENCE-1',
  },
  {
    what: 'Unread acknowledgements',
    limit: `${seconds(maxIdleMs)} without progress; with polling, ${maxUnreadReplies}`,
    beyond: 'connection closed',
    tests: 'BOUNDS-3',
  },
  {
    what: 'Unsent pongs',
    limit: 'one per connection',
    beyond: 'only the newest ping is answered',
    tests: 'EDGE-4',
  },
]
