import { maxAnnouncementCharacters } from '../../../server/moderation/filter/checked-texts.ts'
import {
  accountNetworkLifetimeMs,
  auditLifetimeMs,
  maxAccountNetworks,
  maxFilteredWords,
  maxRestrictions,
} from '../../../server/moderation/moderation-store.ts'
import { minPrefixBits } from '../../../server/moderation/networks.ts'
import { maxSlowSenders } from '../../../server/moderation/slow-mode.ts'
import { maxWordCharacters } from '../../../server/moderation/filter/word-filter.ts'
import { actionRate } from '../../../server/transport/sockets/moderate-connections.ts'
import { count, days, hours } from '../figures.ts'
import { type Limit, perSecond } from './limit.ts'

export const moderationLimits: readonly Limit[] = [
  { what: 'Actions of one connection', limit: perSecond(actionRate), beyond: '`rate_limited`', tests: 'MODERATION-11' },
  {
    what: 'Words of the filter',
    limit: `${count(maxFilteredWords)} of ${maxWordCharacters} characters`,
    beyond: '`not_allowed`, `invalid`',
    tests: 'MODERATION-10, MODERATION-16',
  },
  { what: 'Mutes and bans', limit: count(maxRestrictions), beyond: '`not_allowed`', tests: 'MODERATION-10' },
  {
    what: 'Network of a mute or a ban',
    limit: `IPv4 /${minPrefixBits.ipv4}, IPv6 /${minPrefixBits.ipv6}`,
    beyond: '`invalid`',
    tests: 'MODERATION-18',
  },
  {
    what: 'Networks of one account',
    limit: `${count(maxAccountNetworks)}, for ${hours(accountNetworkLifetimeMs)}`,
    beyond: 'the oldest are deleted',
    tests: 'MODERATION-10',
  },
  { what: 'Retention of the audit', limit: days(auditLifetimeMs), beyond: 'deleted', tests: 'MODERATION-10' },
  {
    what: 'Announcement',
    limit: `${count(maxAnnouncementCharacters)} characters`,
    beyond: '`invalid`',
    tests: 'MODERATION-16',
  },
  {
    what: 'Senders tracked by slow mode',
    limit: count(maxSlowSenders),
    beyond: 'the least recent sender is evicted',
    tests: 'MODERATION-16',
  },
]
