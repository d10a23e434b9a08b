import type { Logger } from 'pino'
import type { Report, ServerEvent } from './events.ts'
import type { MetricsRecorder } from './metrics-recorder.ts'
import { settingBehind } from './reasons.ts'
import { createCountingThrottle, createThrottle, createThrottlePer } from './throttle.ts'
import { untrustedText } from './untrusted-text.ts'

type Type = ServerEvent['type']
type EventOf<T extends Type> = Extract<ServerEvent, { type: T }>
type Handlers = { [T in Type]: (event: EventOf<T>) => void }

const pressureLines = {
  none: 'event loop recovered: accepting all requests again',
  'shed-logins':
    'event loop overloaded: rejecting logins, registrations and account deletions; add nodes or find the cause of the load',
  'shed-connections':
    'event loop overloaded: rejecting logins, registrations, account deletions and new connections; add nodes or find the cause of the load',
} as const

const raidLines = {
  none: 'raid mode off',
  anonymous: 'raid mode on: limiting new anonymous senders',
  all: 'raid mode on: limiting all senders',
} as const

const closeLines = {
  pipelined: 'connection closed: too many pipelined requests',
  unread: 'connection closed: slow consumer; HTTP responses not read',
} as const

const reasonOf = <Reason>({ reason }: { reason: Reason }) => reason
const callbackOf = ({ callback }: EventOf<'callback-failed' | 'close-failed'>) => callback

/**
 * Turns each event into at most one log line and its metrics. An event that clients can repeat is logged at once and then
 * at most once a minute, with a count, or only counted. `account-request-failed` is logged each time.
 */
export function createEventSink(log: Logger, metrics: MetricsRecorder): Report {
  /** Creates a handler that logs the first error at once, then at most one error a minute. */
  const outage = (text: string) => createThrottle(({ error }: { error: unknown }) => log.warn({ err: error }, text))

  /** Logs rejections by a limit, with the setting to check. Other rejections are only counted. */
  const logRejection = createThrottlePer(reasonOf, ({ reason }: EventOf<'request-rejected'>, count) => {
    const setting = settingBehind[reason]
    if (reason === 'tcp_in_total') {
      log.error(
        { reason, count },
        'connections rejected: maximum number of connections reached; raise the limit of open files (ulimit -n)',
      )
    } else if (setting !== undefined) {
      log.warn(
        { reason, setting, count },
        'limit reached: request, message or connection rejected; if ordinary users are affected, check the setting; see docs/limits.md',
      )
    }
  })
  const logFlood = createCountingThrottle(({ address }: EventOf<'flood-closed'>, count) =>
    log.warn(
      { address: untrustedText(address), count },
      'connection closed: flood; if ordinary users are affected, raise MESSAGES_PER_SECOND or MESSAGES_PER_SECOND_PER_IP',
    ),
  )
  const logCostly = createCountingThrottle(({ address }: EventOf<'costly-closed'>, count) =>
    log.warn(
      { address: untrustedText(address), count },
      'connection closed: the connection, its address or its network used too much CPU time; if it happens again, report this defect',
    ),
  )
  const logSlowConsumer = createThrottlePer(reasonOf, ({ reason }: EventOf<'slow-consumer-closed'>, count) =>
    log.info({ reason, count }, 'connection closed: slow consumer'),
  )

  const handlers: Handlers = {
    'batch-stored': ({ messages, storeMs }) => metrics.batchStored(messages, storeMs),
    'batch-fanned-out': ({ fanOutMs }) => metrics.batchFannedOut(fanOutMs),
    'batch-rejected': () => metrics.batchRejected(),
    'storage-unavailable'({ error }) {
      metrics.setStorageUp(false)
      log.error({ err: error }, 'storage unavailable: rejecting messages; check the disk or Redis')
    },
    'storage-available'() {
      metrics.setStorageUp(true)
      log.info('storage available: accepting messages again')
    },
    'log-epoch-changed': ({ epoch, oldest, head }) =>
      log.warn(
        { epoch, oldest, head },
        'redis: log epoch changed; clients are notified that messages may be missing; unless you restored Redis, failed over, or restarted it with REDIS_DURABILITY=relaxed, find out which data was lost',
      ),
    'log-gap': ({ epoch, oldest, head }) =>
      log.warn(
        { epoch, oldest, head },
        'redis: messages missed; they were trimmed or deleted before this node read them; clients are notified that messages may be missing; if it happens again, raise RETENTION_MESSAGES or RETENTION_HOURS, and check that no other program writes to the keys {room}:*',
      ),
    'replay-failed': outage('replay failed: missed messages cannot be read; retrying; check the disk or Redis'),

    'accounts-unavailable'({ error }) {
      metrics.setAccountsUp(false)
      log.error(
        { err: error },
        'accounts unavailable: rejecting logins, registrations and other account requests; check the disk or PostgreSQL',
      )
    },
    'accounts-available'() {
      metrics.setAccountsUp(true)
      log.info('accounts available: accepting account requests again')
    },
    'account-request-failed': ({ error }) =>
      log.error({ err: error }, 'account request failed: storage error; check the disk, PostgreSQL or Redis'),
    'token-sweep-failed': outage('token sweep failed: retrying in a minute; check the disk or PostgreSQL'),
    'moderation-reload-failed': outage(
      'moderation reload failed: keeping the known rules and restrictions; retrying; check the disk or PostgreSQL',
    ),
    'moderation-sweep-failed': outage('moderation sweep failed: retrying in a minute; check the disk or PostgreSQL'),
    'moderation-values-invalid': createThrottle(({ keys }) =>
      log.warn({ keys }, 'stored room values invalid: these keys of room_values count as not set; set them again'),
    ),

    'database-created': ({ file }) => log.info({ file }, 'database created'),
    'log-epoch-renewed': ({ file }) =>
      log.warn(
        { file },
        'sqlite: log epoch changed; the database was restored or replaced, or messages.head is missing or invalid; clients are notified that messages may be missing; if you did not restore the database, find out which data was lost',
      ),
    'data-folder-readable': ({ folder, mode, uid }) =>
      log.warn(
        { folder, mode, uid },
        'DATA_DIR accessible to other users: the folder holds other files or belongs to another user; use a folder that only the server uses',
      ),
    'lock-file-removed': ({ file }) =>
      log.error({ file }, 'lock file removed or replaced: another server can use this folder; restart this server'),
    'admin-socket-failed': ({ path, error }) =>
      log.warn(
        { path, err: error },
        'admin socket unavailable: npm run admin does not work; set ADMIN_SOCKET to a path that the server can create',
      ),
    'storage-thread-died': ({ error }) =>
      log.fatal({ err: error }, 'storage thread died: the server exits; check the disk'),
    'redis-not-durable': ({ server, weaknesses }) =>
      log.warn(
        { server, weaknesses },
        'redis: not durable; REDIS_DURABILITY=relaxed, so acknowledged messages may be lost; see the Redis settings in docs/operating.md',
      ),
    'redis-durability-changed': ({ weaknesses }) =>
      weaknesses.length === 0
        ? log.info('redis: durable; no weak setting is left')
        : log.error(
            { weaknesses },
            'redis: durability settings changed; acknowledged messages may be lost; set Redis as docs/operating.md describes',
          ),
    'retention-differs': ({ own, other }) =>
      log.warn(
        { own, other },
        'redis: retention differs from that of the node that started before; the smallest of the running nodes applies; set RETENTION_* to the same values on all nodes',
      ),
    'postgres-not-durable': () =>
      log.warn(
        'postgres: not durable; fsync or synchronous_commit is off; accounts may be lost when its machine fails; turn both on',
      ),
    'redis-reader-failed': outage('redis: log reader failed; reconnecting; check Redis'),
    'redis-not-erased': outage(
      'redis: files not rewritten after a removal; they may hold the removed texts; retrying every minute; allow the user of REDIS_URL to run BGREWRITEAOF, or run it after each removal',
    ),
    'redis-replica-not-erased': ({ replica, error }) =>
      log.warn(
        { replica, err: error },
        'redis: files of a replica not rewritten after a removal; they may hold the removed texts; when the replica has caught up, run BGREWRITEAOF on it, and BGSAVE if it has save points',
      ),
    'redis-roster-failed': outage(
      'redis: presence unavailable; lists of online users may be incomplete; retrying; check Redis',
    ),
    'redis-ledger-failed': outage(
      'redis: shared login limits unavailable; this node counts only its own failed logins and registrations; retrying; check Redis',
    ),

    'request-rejected'(event) {
      metrics.requestRejected(event.reason)
      logRejection(event)
    },
    'pressure-changed': ({ level }) =>
      log[level === 'none' ? 'info' : 'warn']({ pressure: level }, pressureLines[level]),
    'raid-level-changed': ({ level, perSecond }) =>
      log[level === 'none' ? 'info' : 'warn']({ slowed: level, perSecond }, raidLines[level]),
    'few-file-descriptors': ({ connections }) =>
      log.warn({ connections }, 'few file descriptors: the limit of open files (ulimit -n) is low; raise it'),
    'heap-nearly-full': createThrottle(({ usedBytes, limitBytes }) =>
      log.error(
        { usedBytes, limitBytes },
        'heap nearly full: the process exits at the limit; raise --max-old-space-size or reduce load',
      ),
    ),

    'forwarded-for-ignored': ({ peer }) =>
      log.warn({ peer }, 'X-Forwarded-For ignored: if this peer is your proxy, add it to TRUST_PROXY'),
    'origin-rejected': createCountingThrottle(({ origin, host }, count) =>
      log.warn(
        { origin: untrustedText(origin), host: untrustedText(host), count },
        'origin rejected: if it is yours, add it to ALLOWED_ORIGINS, or let your proxy pass the Host header on (nginx: proxy_set_header Host $http_host;)',
      ),
    ),
    'origin-protocol-rejected': createCountingThrottle(({ origin, host }, count) =>
      log.warn(
        { origin: untrustedText(origin), host: untrustedText(host), count },
        'origin rejected: its protocol differs from that of the request; let your TLS proxy set X-Forwarded-Proto (nginx: proxy_set_header X-Forwarded-Proto $scheme;), or add the origin to PUBLIC_ORIGINS',
      ),
    ),
    'host-rejected': createCountingThrottle(({ host }, count) =>
      log.warn(
        { host: untrustedText(host), count },
        'host name rejected: if it is yours, add its origin to PUBLIC_ORIGINS',
      ),
    ),
    'flood-closed'(event) {
      metrics.requestRejected('flood')
      logFlood(event)
    },
    'costly-closed'(event) {
      metrics.requestRejected('cost')
      logCostly(event)
    },
    'slow-consumer-closed'(event) {
      metrics.slowConsumerClosed(event.reason)
      logSlowConsumer(event)
    },
    'http-connection-closed': createThrottlePer(reasonOf, ({ reason }, count) =>
      log.info({ reason, count }, closeLines[reason]),
    ),
    'handler-failed': createThrottlePer(
      ({ handler }) => handler,
      ({ handler, error }, count) =>
        log.error({ err: error, handler, count }, 'handler failed: unexpected error; report this defect'),
    ),
    'callback-failed': createThrottlePer(callbackOf, ({ callback, error }, count) =>
      log.error({ err: error, callback, count }, 'callback failed: closing its connection; report this defect'),
    ),
    'close-failed': createThrottlePer(callbackOf, ({ callback, error }, count) =>
      log.error({ err: error, callback, count }, 'connection not closed: unexpected error; report this defect'),
    ),
    'node-isolated': () =>
      log.warn(
        'node isolated: closing connections so that clients connect to another node; check Redis and the network between this node and Redis',
      ),
    'fast-path-disabled': ({ missing }) =>
      log.warn(
        { missing },
        'fast path disabled: an update has changed library internals; using the documented API; report this defect',
      ),
  }
  return (event) => (handlers[event.type] as (event: ServerEvent) => void)(event)
}
