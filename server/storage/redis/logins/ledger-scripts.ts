import { networkMultiplier } from '../../../limits/network-buckets.ts'
import type { Rate } from '../../../limits/token-bucket.ts'
import { redisScript } from '../redis-script.ts'
import {
  attackRate,
  type BackOff,
  failureRate,
  failureLifetimeMs,
  perAddress,
  perNetwork,
  registrationRate,
  underAttack,
} from '../../../accounts/login/login-limits.ts'

/** Tables of the ledger. Each has a second key with the time of the last change of each entry, to evict the oldest. */
const tables = ['failures', 'buckets', 'known'] as const
export const ledgerKeys = tables.flatMap((table) => [`{logins}:${table}`, `{logins}:${table}:age`])
/** Maximum number of entries per table. Redis runs without eviction, and unauthenticated clients can add entries. */
export const maxLedgerEntries = 20_000

const backOff = ({ freeFailures, firstWaitMs, maxWaitMs }: BackOff) => `${freeFailures}, ${firstWaitMs}, ${maxWaitMs}`
const rate = ({ perSecond, burst }: Rate) => `${perSecond}, ${burst}`

/** Rules of `login-throttle.ts` and `network-buckets.ts` in Lua, on the clock of Redis unless a test passes a time. */
const common = `
local FAILURES, BUCKETS, KNOWN = 1, 3, 5
local time = redis.call('TIME')
local now = tonumber(ARGV[1]) or time[1] * 1000 + math.floor(time[2] / 1000)

local function put(place, id, value)
  redis.call('HSET', KEYS[place], id, value)
  redis.call('ZADD', KEYS[place + 1], now, id)
  if redis.call('ZCARD', KEYS[place + 1]) <= ${maxLedgerEntries} then return end
  local oldest, ids = redis.call('ZPOPMIN', KEYS[place + 1], ${maxLedgerEntries / 8}), {}
  for i = 1, #oldest, 2 do ids[#ids + 1] = oldest[i] end
  redis.call('HDEL', KEYS[place], unpack(ids))
end

local function drop(place, id)
  redis.call('HDEL', KEYS[place], id)
  redis.call('ZREM', KEYS[place + 1], id)
end

local function setFailures(id, count, last)
  if count <= 0 then drop(FAILURES, id) else put(FAILURES, id, string.format('%d:%.0f', count, last)) end
end

-- A time after now means that the clock was set back. It becomes now, so that the wait ends after its normal length.
local function failuresOf(id)
  local stored = redis.call('HGET', KEYS[FAILURES], id)
  if not stored then return 0, 0 end
  local count, last = stored:match('^(%d+):(%d+)$')
  count, last = tonumber(count), tonumber(last)
  if now - last >= ${failureLifetimeMs} then return 0, 0 end
  if last > now then
    last = now
    setFailures(id, count, last)
  end
  return count, last
end

local function waitAfterFailures(id, free, first, longest)
  local count, last = failuresOf(id)
  if count < free then return 0 end
  return math.max(0, last + math.min(longest, first * 2 ^ (count - free)) - now)
end

local function setTokens(id, tokens)
  put(BUCKETS, id, string.format('%.9f:%.0f', tokens, now))
end

-- As for failures, a time after now becomes now, so that the bucket refills.
local function tokensIn(id, perSecond, burst)
  local stored = redis.call('HGET', KEYS[BUCKETS], id)
  if not stored then return burst end
  local tokens, at = stored:match('^(.+):(%d+)$')
  tokens, at = tonumber(tokens), tonumber(at)
  if at > now then setTokens(id, tokens) end
  return math.min(burst, tokens + math.max(0, now - at) * perSecond / 1000)
end

local function waitForToken(id, perSecond, burst)
  local missing = 1 - tokensIn(id, perSecond, burst)
  if missing <= 0 then return 0 end
  return math.ceil(missing * 1000 / perSecond)
end

local function spend(id, perSecond, burst)
  setTokens(id, tokensIn(id, perSecond, burst) - 1)
end

local shares = { ${networkMultiplier.network}, ${networkMultiplier.site}, ${networkMultiplier.address} }

-- Ids from the widest network to the address; '' for none.
local function waitForNetworks(kind, ids, perSecond, burst)
  for level, id in ipairs(ids) do
    local wait = id == '' and 0 or waitForToken(kind .. id, perSecond * shares[level], burst * shares[level])
    if wait > 0 then return wait end
  end
  return 0
end

local function spendNetworks(kind, ids, perSecond, burst)
  for level, id in ipairs(ids) do
    if id ~= '' then spend(kind .. id, perSecond * shares[level], burst * shares[level]) end
  end
end
`

/**
 * Charges an attempt as a failure of its pairs before its password is verified. So concurrent attempts of a pair, on all
 * nodes, cannot exceed the allowed failures of the pair.
 *
 * ARGV: time, pair of account and address, pair of account and network, account, network, site, address. Returns the wait
 * in ms. If the wait is 0, these values follow: whether the address is known to the account, the time of the charge, and
 * the time of the previous failure of each pair.
 */
export const chargeScript = redisScript(`${common}
local pair, networkPair, account = ARGV[2], ARGV[3], ARGV[4]
local networks = { ARGV[5], ARGV[6], ARGV[7] }
local isKnown = redis.call('HEXISTS', KEYS[KNOWN], pair) == 1
if isKnown then networkPair, networks = '', { '', '', ARGV[7] } end

local wait = math.max(waitAfterFailures(pair, ${backOff(perAddress)}), waitForNetworks('failed:', networks, ${rate(failureRate)}))
if networkPair ~= '' then
  local underAttack = waitForToken('attack:' .. account, ${rate(attackRate)}) > 0
  wait = math.max(wait, underAttack
    and waitAfterFailures(networkPair, ${backOff(underAttack)})
    or waitAfterFailures(networkPair, ${backOff(perNetwork)}))
end
if wait > 0 then return { math.ceil(wait) } end

local count, last = failuresOf(pair)
setFailures(pair, count + 1, now)
local networkLast = 0
if networkPair ~= '' then
  local networkCount
  networkCount, networkLast = failuresOf(networkPair)
  setFailures(networkPair, networkCount + 1, now)
end
return { 0, isKnown and 1 or 0, string.format('%.0f', now), string.format('%.0f', last), string.format('%.0f', networkLast) }
`)

/**
 * Records the outcome of a charged attempt. 'right' removes the failures of account and address, refunds the pair of account
 * and network, and makes the address known. 'wrong' keeps the charge and also charges the networks and the account; for a
 * known address, only the address. 'void' refunds the charge, because the password could not be verified.
 *
 * ARGV: those of the charge, then the outcome and the result of the charge.
 */
export const recordOutcomeScript = redisScript(`${common}
local pair, networkPair, account = ARGV[2], ARGV[3], ARGV[4]
local networks = { ARGV[5], ARGV[6], ARGV[7] }
local outcome, isKnown, chargedAt = ARGV[8], ARGV[9] == '1', tonumber(ARGV[10])
local last, networkLast = tonumber(ARGV[11]), tonumber(ARGV[12])
if isKnown then networkPair, networks = '', { '', '', ARGV[7] } end

local function refund(id, lastBefore)
  local count, lastNow = failuresOf(id)
  -- Keep the time of an attempt that was charged later.
  if count > 0 then setFailures(id, count - 1, lastNow == chargedAt and lastBefore or lastNow) end
end

if outcome == 'wrong' then
  spendNetworks('failed:', networks, ${rate(failureRate)})
  if networkPair ~= '' then spend('attack:' .. account, ${rate(attackRate)}) end
else
  if networkPair ~= '' then refund(networkPair, networkLast) end
  if outcome == 'right' then
    drop(FAILURES, pair)
    put(KNOWN, pair, 1)
  else
    refund(pair, last)
  end
end
return 0
`)

/** Makes an address known to an account. ARGV: time, pair of account and address. */
export const knowScript = redisScript(`${common}
put(KNOWN, ARGV[2], 1)
return 0
`)

/** Charges a registration. ARGV: time, network, site, address. Returns the wait in ms, or 0 when it was charged. */
export const registrationScript = redisScript(`${common}
local networks = { ARGV[2], ARGV[3], ARGV[4] }
local wait = waitForNetworks('registered:', networks, ${rate(registrationRate)})
if wait == 0 then spendNetworks('registered:', networks, ${rate(registrationRate)}) end
return wait
`)
