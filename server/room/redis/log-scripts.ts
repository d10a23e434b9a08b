import { redisScript } from '../../redis/redis-script.ts'

/** One hash tag: all keys live in one slot, and a script may touch them together. */
export const metaKey = '{room}:meta'
/** The epoch in the name: a reader of an old one can never take an entry of the new one for its own. */
export const streamKey = (epoch: string) => `{room}:log:${epoch}`
export const idsKey = (epoch: string) => `{room}:ids:${epoch}`

/**
 * Where the log stands. XADD comes before the head is moved, and a script is not rolled back: what it left behind when
 * it failed in the middle is in the stream, and counts. Numbers are formatted as integers; Lua would write 1e+15.
 */
const whereItStands = `
local int = function(n) return string.format('%.0f', n) end
local stand = redis.call('HMGET', KEYS[1], 'epoch', 'head', 'oldest', 'run')
local epoch, head, oldest, run = stand[1], tonumber(stand[2] or 0), tonumber(stand[3] or 1), stand[4]
local function catchUp(stream)
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  local newest = last and tonumber(string.match(last[1], '^%d+')) or 0
  if newest > head then head = newest end
end
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/**
 * What retention drops, in a step. The ids go with the messages: kept shorter, a repeat would be stored twice; kept
 * longer, they would fill the memory. The age of the oldest decides whether the next ones are looked at.
 */
const trim = `
local function trim(stream, ids, maxAgeMs, maxMessages, step)
  local upTo = head - maxMessages
  local tooOld = clock() - maxAgeMs
  local function age(count)
    local found = redis.call('XRANGE', stream, '-', '+', 'COUNT', count)
    for _, entry in ipairs(found) do
      if tonumber(entry[2][8]) >= tooOld then return end
      upTo = math.max(upTo, tonumber(string.match(entry[1], '^%d+')))
    end
    return #found
  end
  if age(1) == 1 then age(step) end
  upTo = math.min(upTo, oldest + step - 1)
  if upTo < oldest then return end
  redis.call('XTRIM', stream, 'MINID', int(upTo + 1))
  redis.call('ZREMRANGEBYSCORE', ids, '-inf', int(upTo))
  oldest = upTo + 1
  redis.call('HSET', KEYS[1], 'oldest', int(oldest))
end
`

/**
 * KEYS: meta, stream, ids. ARGV: epoch, run, the head that the caller has seen, maxAgeMs, maxMessages, then for each
 * entry its id, username, message, createdTime, and the epoch and seq of `after` (empty when there is none).
 * Answers { 'ok', head, oldest, outcome ... }, an outcome being the seq, '=' and the seq of a repeat, or a refusal;
 * or { 'fenced' } when this is not the log that the caller knows.
 */
export const appendScript = redisScript(`${whereItStands}${trim}
if not epoch or epoch ~= ARGV[1] or run ~= ARGV[2] then return { 'fenced' } end
catchUp(KEYS[2])
if head < tonumber(ARGV[3]) then return { 'fenced' } end
local now = int(clock())
local answer = { 'ok', 0, 0 }
local function appendOne(id, username, message, createdTime, afterEpoch, afterSeq)
  local known = redis.call('ZSCORE', KEYS[3], id)
  if known then
    local seq = int(tonumber(known))
    local entry = redis.call('XRANGE', KEYS[2], seq, seq)[1]
    local same = entry and entry[2][4] == message and entry[2][6] == createdTime
    return same and '=' .. seq or 'id_conflict'
  end
  if afterEpoch ~= '' then
    local after = tonumber(afterSeq)
    if afterEpoch ~= epoch or after < oldest - 1 or after > head then return 'expired' end
  end
  local seq = int(head + 1)
  redis.call('XADD', KEYS[2], seq .. '-0', 'u', username, 'm', message, 't', createdTime, 's', now)
  head = head + 1
  redis.call('ZADD', KEYS[3], seq, id)
  return seq
end
for i = 6, #ARGV, 6 do
  answer[#answer + 1] = appendOne(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5])
end
redis.call('HSET', KEYS[1], 'head', int(head), 'probe', now)
trim(KEYS[2], KEYS[3], tonumber(ARGV[4]), tonumber(ARGV[5]), math.max(100, math.floor(#ARGV / 3)))
answer[2], answer[3] = int(head), int(oldest)
return answer
`)

/**
 * On every new connection. KEYS: meta. ARGV: the server's run, a new epoch, whether what it acknowledged is sure to be
 * there, whether to decide without a witness, then what the caller has seen, if anything: epoch, run, head.
 *
 * A server that was started anew, or another one, has to be adopted. Its content goes on under the old epoch only when
 * somebody bears witness that nothing is missing: a node that has heard everything under the run before. Each adoption
 * leaves a hop behind, the run and where the log stood: a node that heard more than that, and comes back after
 * others have filled the same seqs again, finds out by it.
 *
 * Answers { epoch, head, oldest, 'same' | 'changed' }, or { 'unknown' } when a witness may still come.
 */
export const fenceScript = redisScript(`${whereItStands}
local seenEpoch, seenRun, seenHead = ARGV[5], ARGV[6], tonumber(ARGV[7] or -1)
local knows = seenEpoch ~= nil and seenEpoch ~= ''
local function answer(how) return { epoch, int(head), int(oldest), how } end
local function begin(from)
  if epoch then redis.call('UNLINK', '{room}:log:' .. epoch, '{room}:ids:' .. epoch) end
  epoch, head, oldest = ARGV[2], from, from + 1
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'head', int(head), 'oldest', int(oldest), 'run', ARGV[1], 'hops', '[]')
  return answer('changed')
end
-- At 0 a page takes it for a room in which nothing was ever said, and so missed nothing.
if not epoch then return begin(knows and math.max(1, seenHead) or 0) end
catchUp('{room}:log:' .. epoch)
local hops = cjson.decode(redis.call('HGET', KEYS[1], 'hops') or '[]')
-- Whether all that was seen under that run is still there.
local function goesOn()
  if head < seenHead then return false end
  if seenRun == run then return true end
  local found = false
  for _, hop in ipairs(hops) do
    found = found or hop[1] == seenRun
    if found and tonumber(hop[2]) < seenHead then return false end
  end
  return found
end
if run == ARGV[1] then
  if not knows or seenEpoch ~= epoch then return answer(knows and 'changed' or 'same') end
  if goesOn() then return answer('same') end
  return begin(math.max(head, seenHead, 1))
end
local lost = ARGV[3] ~= '1' or (knows and seenEpoch == epoch and not goesOn())
if not lost and knows and seenEpoch == epoch and seenRun == run then
  hops[#hops + 1] = { run, int(head) }
  while #hops > 50 do table.remove(hops, 1) end
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'hops', cjson.encode(hops))
  return answer('same')
end
if lost or ARGV[4] == '1' then return begin(math.max(head, seenHead, 1)) end
return { 'unknown' }
`)

/** Whether it can be written to, and where it stands; and what a quiet room has to forget. KEYS as for the append. */
export const checkScript = redisScript(`${whereItStands}${trim}
if not epoch or epoch ~= ARGV[1] or run ~= ARGV[2] then return { 'fenced' } end
catchUp(KEYS[2])
redis.call('HSET', KEYS[1], 'probe', int(clock()))
trim(KEYS[2], KEYS[3], tonumber(ARGV[3]), tonumber(ARGV[4]), 1000)
return { 'ok', int(head), int(oldest) }
`)
