import { redisScript } from '../redis-script.ts'

/** One hash tag: all keys live in one slot, and a script may touch them together. */
export const metaKey = '{room}:meta'
/** The epoch in the name: a reader of an old one can never take an entry of the new one for its own. */
export const streamKey = (epoch: string) => `{room}:log:${epoch}`
export const idsKey = (epoch: string) => `{room}:ids:${epoch}`
/** Who has written of late, by the stamp of its last write. */
export const writersKey = (epoch: string) => `{room}:writers:${epoch}`

/** Every node writes each second or so (`log-reader.ts`); one that was silent for longer than this is not there any more. */
const writerMs = 10_000

/** What the scripts keep, and `readMeta` reads. */
export const metaFields = ['epoch', 'head', 'oldest', 'run', 'stamp'] as const

/**
 * Where the log stands. XADD comes before the head is moved, and a script is not rolled back: what it left behind when
 * it failed in the middle is in the stream, and counts. Numbers are formatted as integers; Lua would write 1e+15.
 *
 * Every write has a stamp later than the one before: a content that is older than what a node has seen is known by it,
 * though no message may be missing that this node has heard.
 */
const whereItStands = `
local int = function(n) return string.format('%.0f', n) end
local stand = redis.call('HMGET', KEYS[1], ${metaFields.map((field) => `'${field}'`).join(', ')})
local epoch, head, oldest, run = stand[1], tonumber(stand[2] or 0), tonumber(stand[3] or 1), stand[4]
local stamp = tonumber(stand[5] or 0)
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

/** A write of the node in ARGV[3], which has seen the stamp in ARGV[4], to the log and the run of ARGV[1] and ARGV[2]. */
const writeAs = `
if not epoch or epoch ~= ARGV[1] or run ~= ARGV[2] then return { 'fenced' } end
catchUp(KEYS[2])
if stamp < tonumber(ARGV[4]) then return { 'fenced' } end
stamp = math.max(stamp + 1, clock())
redis.call('HSET', KEYS[1], 'stamp', int(stamp))
redis.call('ZADD', KEYS[4], int(stamp), ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', int(stamp - ${writerMs}))
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
 * KEYS: meta, stream, ids, writers. ARGV: epoch, run, the caller's name, the stamp that it has seen, maxAgeMs, maxMessages, then
 * for each entry its id, username, message, createdTime, and the epoch and seq of `after` (empty when there is none).
 * Answers { 'ok', head, oldest, stamp, outcome ... }, an outcome being the seq, '=' and the seq of a repeat, or a
 * refusal; or { 'fenced' } when this is not the log that the caller knows.
 */
export const appendScript = redisScript(`${whereItStands}${trim}${writeAs}
local answer = { 'ok', 0, 0, int(stamp) }
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
  redis.call('XADD', KEYS[2], seq .. '-0', 'u', username, 'm', message, 't', createdTime, 's', int(stamp))
  head = head + 1
  redis.call('ZADD', KEYS[3], seq, id)
  return seq
end
for i = 7, #ARGV, 6 do
  answer[#answer + 1] = appendOne(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5])
end
redis.call('HSET', KEYS[1], 'head', int(head))
trim(KEYS[2], KEYS[3], tonumber(ARGV[5]), tonumber(ARGV[6]), math.max(100, math.floor(#ARGV / 3)))
answer[2], answer[3] = int(head), int(oldest)
return answer
`)

/**
 * On every new connection. KEYS: meta. ARGV: the server's run, a new epoch, whether what it acknowledged is sure to be
 * there, whether to decide without a witness, the caller's name, then what it has seen, if anything: epoch, run, head,
 * stamp.
 *
 * A server that was started anew, or another one, has to be adopted. Its content goes on under the old epoch only when
 * every node that has written of late bears witness that nothing is missing which it has seen: one of them may have
 * acknowledged what no other has heard. Each adoption leaves a hop behind, the run and where the log stood: a node that
 * saw more than that, and comes back after others have filled the same seqs again, finds out by it.
 *
 * Answers { epoch, head, oldest, stamp }, or { 'unknown' } when the last witness may still come.
 */
export const fenceScript = redisScript(`${whereItStands}
local seenEpoch, seenRun, seenHead, seenStamp = ARGV[6], ARGV[7], tonumber(ARGV[8] or -1), tonumber(ARGV[9] or -1)
local function answer() return { epoch, int(head), int(oldest), int(stamp) } end
local writers, witnesses = '{room}:writers:' .. (epoch or ''), '{room}:witnesses:' .. (epoch or '')
local function begin(from)
  if epoch then redis.call('UNLINK', '{room}:log:' .. epoch, '{room}:ids:' .. epoch, writers, witnesses) end
  epoch, head, oldest, stamp = ARGV[2], from, from + 1, clock()
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'head', int(head), 'oldest', int(oldest), 'stamp', int(stamp),
    'run', ARGV[1], 'hops', '[]')
  redis.call('ZADD', '{room}:writers:' .. epoch, int(stamp), ARGV[5])
  return answer()
end
-- At 0 a page takes it for a room in which nothing was ever said, and so missed nothing.
if not epoch then return begin(seenEpoch and math.max(1, seenHead) or 0) end
catchUp('{room}:log:' .. epoch)
local hops = cjson.decode(redis.call('HGET', KEYS[1], 'hops') or '[]')
local isKnown = seenEpoch == epoch
-- Whether all that was seen under that run is still there.
local function goesOn()
  if stamp < seenStamp or head < seenHead then return false end
  if seenRun == run then return true end
  local found = false
  for _, hop in ipairs(hops) do
    found = found or hop[1] == seenRun
    if found and (tonumber(hop[2]) < seenHead or tonumber(hop[3] or seenStamp) < seenStamp) then return false end
  end
  return found
end
if run == ARGV[1] then
  if isKnown and not goesOn() then return begin(math.max(head, seenHead, 1)) end
  -- Where nothing can be written just now, its first write says that it is there.
  if not seenEpoch then redis.pcall('ZADD', writers, int(stamp), ARGV[5]) end
  return answer()
end
local lost = ARGV[3] ~= '1' or (isKnown and not goesOn())
local function allBearWitness()
  if not isKnown then return false end
  redis.call('HSET', witnesses, ARGV[5], ARGV[1])
  local named = redis.call('ZRANGEBYSCORE', writers, int(stamp - ${writerMs}), '+inf')
  for _, name in ipairs(named) do
    if redis.call('HGET', witnesses, name) ~= ARGV[1] then return false end
  end
  return #named > 0
end
if not lost and allBearWitness() then
  redis.call('UNLINK', witnesses)
  hops[#hops + 1] = { run, int(head), int(stamp) }
  while #hops > 50 do table.remove(hops, 1) end
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'hops', cjson.encode(hops))
  return answer()
end
if lost or ARGV[4] == '1' then return begin(math.max(head, seenHead, 1)) end
return { 'unknown' }
`)

/** Whether it can be written to, and where it stands; and what a quiet room has to forget. KEYS as for the append. */
export const checkScript = redisScript(`${whereItStands}${trim}${writeAs}
trim(KEYS[2], KEYS[3], tonumber(ARGV[5]), tonumber(ARGV[6]), 1000)
return { 'ok', int(head), int(oldest), int(stamp) }
`)
