import * as contract from '../../../contract/limits.ts'
import { flushWindowMs, maxPauseMs } from '../../../server/room/send/flush-scheduler.ts'
import { count, days, seconds } from '../figures.ts'
import type { Limit } from './limit.ts'

export const textLimits: readonly Limit[] = [
  {
    what: 'Message',
    limit: `${count(contract.maxMessageCharacters)} code points`,
    beyond: '`too_long`',
    tests: 'WRITING-1',
  },
  {
    what: 'Name',
    limit: `${contract.maxNameCharacters} code points; ${contract.maxTypedNameUnits} UTF-16 units as typed`,
    beyond: '`too_long`, or 400 for an account',
    tests: 'API-1, LIMITS-6',
  },
  { what: 'E-mail address', limit: `${contract.maxEmailCharacters} code points`, beyond: '400', tests: 'API-1' },
  { what: 'Password', limit: `${count(contract.maxPasswordBytes)} bytes`, beyond: '400', tests: 'API-1' },
  { what: 'Lifetime of a token', limit: days(contract.tokenLifetimeMs), beyond: '`unauthorized`', tests: 'SECURITY-2' },
  {
    what: 'Heartbeat',
    limit: `ping every ${seconds(contract.pingIntervalMs)}, pong within ${seconds(contract.pingTimeoutMs)}`,
    beyond: 'connection closed',
    tests: 'FANOUT-9',
  },
  {
    what: 'Batch window of a busy room',
    limit: `${flushWindowMs} ms, at most ${maxPauseMs} ms after a long fan-out`,
    beyond: 'messages wait for the next batch',
    tests: 'FANOUT-4',
  },
]
