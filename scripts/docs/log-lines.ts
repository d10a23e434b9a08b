import { pino } from 'pino'
import { createEventSink } from '../../server/observe/event-sink.ts'
import type { ServerEvent } from '../../server/observe/events.ts'
import { createMetrics } from '../../server/observe/metrics.ts'
import { code, table } from './tables.ts'

const error = new Error('example')
const bounds = { epoch: 'e', oldest: 1, head: 2 }

/** Events that operators alert on, with the action to take. */
const alerts: readonly (readonly [event: ServerEvent, action: string])[] = [
  [{ type: 'storage-thread-died', error }, 'Check the disk. The service manager restarts the server.'],
  [{ type: 'storage-unavailable', error }, 'Check the disk, or Redis.'],
  [{ type: 'accounts-unavailable', error }, 'Check the disk, or PostgreSQL.'],
  [{ type: 'lock-file-removed', file: '' }, 'Restart the server.'],
  [{ type: 'request-rejected', reason: 'tcp_in_total' }, 'Raise `LimitNOFILE`.'],
  [{ type: 'heap-nearly-full', usedBytes: 0, limitBytes: 0 }, 'Raise `--max-old-space-size`, or reduce load.'],
  [{ type: 'handler-failed', handler: '', error }, 'Report this defect.'],
  [{ type: 'callback-failed', callback: '', error }, 'Report this defect.'],
  [{ type: 'close-failed', callback: '', error }, 'Report this defect.'],
  [
    { type: 'log-epoch-changed', ...bounds },
    'Expected after a restore or a failover, and after each restart of Redis with `relaxed`. Otherwise, find out which data was lost.',
  ],
  [{ type: 'log-epoch-renewed', file: '' }, 'Expected after a restore. Otherwise, find out which data was lost.'],
  [{ type: 'log-gap', ...bounds }, 'If it happens again, raise `RETENTION_MESSAGES` or `RETENTION_HOURS`.'],
  [{ type: 'replay-failed', error }, 'Check the disk, or Redis.'],
  [{ type: 'redis-durability-changed', weaknesses: ['appendfsync no'] }, 'Restore the settings of Redis.'],
  [{ type: 'retention-differs', own: '', other: '' }, 'Set `RETENTION_*` to the same values on all nodes.'],
  [{ type: 'moderation-values-invalid', keys: [] }, 'Set the named rules, or the announcement, again.'],
  [{ type: 'redis-reader-failed', error }, 'Check Redis.'],
  [
    { type: 'redis-not-erased', error },
    'Allow the user of `REDIS_URL` to run `BGREWRITEAOF`, or run it after each removal.',
  ],
  [
    { type: 'redis-replica-not-erased', replica: '', error },
    'When the replica has caught up, run `BGREWRITEAOF` on it, and `BGSAVE` if it has save points.',
  ],
  [{ type: 'redis-roster-failed', error }, 'Check Redis.'],
  [{ type: 'redis-ledger-failed', error }, 'Check Redis.'],
  [{ type: 'node-isolated' }, 'Check Redis, and the network between this node and Redis.'],
  [{ type: 'pressure-changed', level: 'shed-logins' }, 'Add nodes, or find the cause of the load.'],
  [{ type: 'raid-level-changed', level: 'anonymous', perSecond: 0 }, 'Nothing; raid mode ends by itself.'],
  [{ type: 'request-rejected', reason: 'send_rate_limited' }, 'If ordinary users are affected, check the setting.'],
  [{ type: 'flood-closed', address: '' }, 'If ordinary users are affected, raise the settings.'],
  [{ type: 'origin-rejected', origin: '', host: '' }, 'Add the origin, or pass `Host` through the proxy.'],
  [{ type: 'origin-protocol-rejected', origin: '', host: '' }, 'Set `X-Forwarded-Proto` in the proxy.'],
  [{ type: 'host-rejected', host: '' }, 'Add the origin of the host name.'],
  [{ type: 'forwarded-for-ignored', peer: '' }, 'Add the proxy to `TRUST_PROXY`.'],
  [{ type: 'fast-path-disabled', missing: [] }, 'Expected after an update of a library. Report this defect.'],
]

/**
 * Returns the table of log lines to alert on. Each phrase is the text that the event sink logs, up to the first semicolon
 * or parenthesis.
 */
export function logLinesTable(): string {
  const rows = alerts.map(([event, action]) => {
    let line = ''
    // Each event gets its own sink, because a sink throttles repeated events.
    createEventSink(
      pino({ base: null, timestamp: false }, { write: (text: string) => void (line = text) }),
      createMetrics() as never,
    )(event)
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }
    const [phrase = ''] = msg.split(/;| \(/)
    return [pino.levels.labels[level] ?? '', code(phrase), action]
  })
  return table(['level', 'log line', 'what to do'], rows)
}
