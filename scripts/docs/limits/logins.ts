import { maxTokensPerAccount } from '../../../server/accounts/account-store.ts'
import { listRate, loginRate, registrationAttemptRate } from '../../../server/accounts/accounts.ts'
import { maxWaiting } from '../../../server/accounts/login/concurrent-attempts.ts'
import {
  attackRate,
  type BackOff,
  failureRate,
  perAddress,
  perNetwork,
  registrationRate,
  underAttack,
} from '../../../server/accounts/login/login-limits.ts'
import { argon2Options, defaultQueueLimits, maxConcurrentHashes } from '../../../server/accounts/login/passwords.ts'
import { mib, minutes, seconds } from '../figures.ts'
import { type Limit, perMinute } from './limit.ts'

const backOff = ({ freeFailures, firstWaitMs, maxWaitMs }: BackOff) =>
  `${freeFailures} free, then ${seconds(firstWaitMs)} doubling to ${minutes(maxWaitMs)}`

export const loginLimits: readonly Limit[] = [
  { what: 'Logins of one address', limit: perMinute(loginRate), beyond: '429', tests: 'SECURITY-3' },
  {
    what: 'Failed logins of one account and address',
    limit: backOff(perAddress),
    beyond: '429',
    tests: 'SECURITY-3, LEDGER-1',
  },
  {
    what: 'Failed logins of one account and network',
    limit: backOff(perNetwork),
    beyond: '429',
    tests: 'SECURITY-3, LEDGER-2',
  },
  {
    what: 'Failed logins of one address, all accounts',
    limit: `${failureRate.burst} per hour`,
    beyond: '429',
    tests: 'SECURITY-3',
  },
  {
    what: 'Failed logins of one account from unknown addresses',
    limit: `${attackRate.burst} per hour`,
    beyond: `the account counts as under attack: ${backOff(underAttack)} for unknown addresses`,
    tests: 'LIMITS-5',
  },
  { what: 'Registrations of one address', limit: perMinute(registrationRate), beyond: '429', tests: 'SECURITY-3' },
  {
    what: 'Registration attempts, rejected ones included',
    limit: perMinute(registrationAttemptRate),
    beyond: '429',
    tests: 'LIMITS-1',
  },
  { what: 'Lists of users, per account', limit: perMinute(listRate), beyond: '429', tests: 'LIMITS-7' },
  {
    what: 'Logins that wait for another one of the same account and address',
    limit: String(maxWaiting),
    beyond: '503',
    tests: 'SECURITY-3',
  },
  {
    what: 'Password hashes',
    limit: `${mib(argon2Options.memoryCost * 1_024)} each, one fewer at a time than cores and at most ${maxConcurrentHashes}, ${defaultQueueLimits.maxQueued} in the queue`,
    beyond: '503 for the network with most of the queue',
    tests: 'SECURITY-2',
  },
  {
    what: 'Tokens of one account',
    limit: String(maxTokensPerAccount),
    beyond: 'the oldest is removed',
    tests: 'LIMITS-2',
  },
]
