import { maxFailureEntries as maxFailures } from '../../../server/accounts/login/login-failures.ts'
import { maxKnownPairs } from '../../../server/accounts/login/login-throttle.ts'
import { maxCachedTokens as maxTokens } from '../../../server/accounts/sessions/sessions.ts'
import { maxCachedBytes as maxUserListBytes, usersPerPage } from '../../../server/accounts/users/user-list.ts'
import { maxPenalties } from '../../../server/limits/admission.ts'
import { maxBuckets } from '../../../server/limits/network-buckets.ts'
import { maxBlocked } from '../../../server/limits/request-budget.ts'
import { maxBufferedLogBytes } from '../../../server/observe/log-destination.ts'
import { maxRecentBytes, maxRecentMessages } from '../../../server/room/deliver/recent-messages.ts'
import { maxCachedBytes, maxCachedMs } from '../../../server/room/deliver/replay-pages.ts'
import {
  maxFanOutBytes,
  maxFlushBytes,
  maxQueued,
  maxQueuedBytes,
  maxQueuedBytesOfNetwork,
  minFlushBytes,
} from '../../../server/room/send/send-queue.ts'
import { maxMessagesPerRead } from '../../../server/storage/redis/log/log-reader.ts'
import { maxLedgerEntries } from '../../../server/storage/redis/logins/ledger-scripts.ts'
import { maxBusEvents } from '../../../server/storage/redis/redis-bus.ts'
import { storageDeadlineMs } from '../../../server/base/storage-error.ts'
import { maxPendingCalls } from '../../../server/storage/sqlite/storage-thread.ts'
import { reservedDescriptors } from '../../../server/transport/http/protection/tcp-connections.ts'
import { count, kib, mib, seconds } from '../figures.ts'
import { defaults, type Limit } from './limit.ts'

const oldest = 'the oldest entry is evicted'

export const totalLimits: readonly Limit[] = [
  {
    what: 'TCP connections',
    limit: `open files of the process, less ${reservedDescriptors}`,
    beyond: 'idle connections are closed, then new ones',
    tests: 'EDGE-7',
  },
  {
    what: 'Messages that wait to be stored',
    limit: `${count(maxQueued)}, ${mib(maxQueuedBytes)}; of one network ${mib(maxQueuedBytesOfNetwork)}`,
    beyond: '`unavailable`',
    tests: 'FANOUT-6',
  },
  {
    what: 'Batch',
    limit: `${kib(maxFlushBytes)} to each connection; of networks with limits ${mib(maxFanOutBytes)} to all connections, at least ${kib(minFlushBytes)} to each`,
    beyond: 'the rest waits for the next batch',
    tests: 'FANOUT-6',
  },
  {
    what: 'Stored messages that wait for the fan-out before them',
    limit: mib(maxQueuedBytes),
    beyond: 'dropped; subscribers replay them from the log',
    tests: 'FANOUT-10',
  },
  {
    what: 'Newest messages in memory',
    limit: `${count(maxRecentMessages)}, ${mib(maxRecentBytes)}`,
    beyond: 'read from the log',
    tests: 'REPLAY-2',
  },
  {
    what: 'Replay pages in the cache',
    limit: `${mib(maxCachedBytes)} for ${seconds(maxCachedMs)}`,
    beyond: 'read again',
    tests: 'REPLAY-5',
  },
  {
    what: 'Messages in one read from Redis',
    limit: String(maxMessagesPerRead),
    beyond: 'the rest waits in Redis',
    tests: 'FANOUT-6',
  },
  { what: 'Events of the cluster bus in Redis', limit: count(Number(maxBusEvents)), beyond: oldest, tests: 'REDIS-4' },
  {
    what: 'Cached list of users',
    limit: `${mib(maxUserListBytes)}, ${usersPerPage} per page`,
    beyond: 'read from the store',
    tests: 'LIMITS-7',
  },
  {
    what: 'Calls to a storage thread',
    limit: `${count(maxPendingCalls)} pending, ${seconds(storageDeadlineMs)} each`,
    beyond: 'rejected',
    tests: 'STORAGE-14, STORAGE-4',
  },
  {
    what: 'Log lines that wait to be written',
    limit: mib(maxBufferedLogBytes),
    beyond: 'dropped and counted',
    tests: 'OPERATING-1',
  },
  {
    what: 'Messages on disk',
    limit: `${defaults.retentionHours} hours, ${count(defaults.retentionMessages)} messages`,
    beyond: 'the oldest is deleted',
    tests: 'STORAGE-7',
  },
  { what: 'Table of one rate limit', limit: `${count(maxBuckets)} entries`, beyond: oldest, tests: 'LIMITS-2' },
  {
    what: 'Blocked addresses, and addresses closed at accept',
    limit: `${count(maxPenalties)} and ${count(maxBlocked)} entries`,
    beyond: oldest,
    tests: 'LIMITS-2',
  },
  {
    what: 'Failed logins, and addresses that logged in',
    limit: `${count(maxFailures)} and ${count(maxKnownPairs)} entries`,
    beyond: oldest,
    tests: 'LIMITS-2',
  },
  {
    what: 'Failed logins in Redis',
    limit: `${count(maxLedgerEntries)} entries per table`,
    beyond: oldest,
    tests: 'LEDGER-4',
  },
  {
    what: 'Tokens in the cache',
    limit: `${count(maxTokens)} valid and as many revoked`,
    beyond: oldest,
    tests: 'LIMITS-2',
  },
]
