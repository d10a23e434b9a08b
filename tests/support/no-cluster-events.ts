import type { EventStream } from '../../server/storage/redis/log/log-reader.ts'

/** Stream of cluster events that stays empty, for tests of the message log alone. */
export const noClusterEvents: EventStream = {
  key: '{room}:no-events',
  open: () => Promise.resolve(),
  after: () => '0-0',
  processEvent: () => undefined,
  processed: () => '',
  catchUp: () => Promise.resolve(),
}
