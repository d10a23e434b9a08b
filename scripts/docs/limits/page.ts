import { maxBufferedBytes, maxBufferedMessages } from '../../../web/connection/receive/message-buffer.ts'
import { maxOutboxMessages } from '../../../web/connection/send/sender.ts'
import { maxUnaskedAgeMs } from '../../../web/connection/send/stored-sender.ts'
import { maxBreaks, maxElements } from '../../../web/room/entry/text-parts.ts'
import { maxPlainEntries } from '../../../web/room/list/rendered-range.ts'
import { count, mib, minutes } from '../figures.ts'
import type { Limit } from './limit.ts'

export const pageLimits: readonly Limit[] = [
  {
    what: 'Messages in the outbox',
    limit: String(maxOutboxMessages),
    beyond: 'the page says so and keeps the text in the field',
    tests: 'OUTBOX-3',
  },
  {
    what: 'Age of a message that a reopened tab sends',
    limit: minutes(maxUnaskedAgeMs),
    beyond: 'the message is held until the user sends it',
    tests: 'OUTBOX-6',
  },
  {
    what: 'Line breaks that an entry shows',
    limit: String(maxBreaks),
    beyond: 'further ones are shown as spaces',
    tests: 'SHOWN-4',
  },
  {
    what: 'Links and runs of wide blanks in an entry',
    limit: String(maxElements),
    beyond: 'further links are shown as text, and further runs as one space',
    tests: 'SHOWN-6',
  },
  {
    what: 'Messages in memory',
    limit: `${count(maxBufferedMessages)}, ${mib(maxBufferedBytes)}`,
    beyond: 'the oldest are dropped, and the list says so',
    tests: 'READING-11',
  },
  {
    what: 'Messages in the DOM',
    limit: count(maxPlainEntries),
    beyond: 'the list is virtualized',
    tests: 'READING-7',
  },
]
