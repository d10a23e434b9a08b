import { redisScript } from '../redis-script.ts'
import { messageCodecLua, valuesPerMessage } from './message-codec.ts'

/** All keys have one hash tag, so that they share a slot and a script can access them together. */
export const metaKey = '{room}:meta'
/** The name contains the epoch, so that a reader of an old epoch never reads an entry of the new one. */
export const streamKey = (epoch: string) => `{room}:log:${epoch}`
export const idsKey = (epoch: string) => `{room}:ids:${epoch}`
/** Nodes that wrote recently, scored by the stamp of their last write. */
export const writersKey = (epoch: string) => `{room}:writers:${epoch}`

/** Every node writes about once a second (`log-reader.ts`). A node without a write for this time counts as stopped. */
const writerTimeoutMs = 10_000

/** Fields of the hash at `metaKey`, in the order in which `readMeta` reads them. */
export const metaFields = ['epoch', 'head', 'oldest', 'run', 'stamp'] as const

/**
 * Loads the state of the log. XADD runs before the head is updated, and Redis does not roll back a failed script, so
 * `catchUp` takes the head from the stream. `int` formats integers, because Lua would write 1e+15.
 *
 * Each write gets a greater stamp than the one before. A node detects by the stamp that the content is older than what
 * it has seen, even when none of the messages it has received is missing.
 */
const loadState = `
local int = function(n) return string.format('%.0f', n) end
local meta = redis.call('HMGET', KEYS[1], ${metaFields.map((field) => `'${field}'`).join(', ')})
local epoch, head, oldest, run = meta[1], tonumber(meta[2] or 0), tonumber(meta[3] or 1), meta[4]
local stamp = tonumber(meta[5] or 0)
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

/** Records a write of node ARGV[3]. Rejects it unless epoch ARGV[1], run ARGV[2] and stamp ARGV[4] match the log. */
const recordWrite = `
if not epoch or epoch ~= ARGV[1] or run ~= ARGV[2] then return { 'stale' } end
catchUp(KEYS[2])
if stamp < tonumber(ARGV[4]) then return { 'stale' } end
stamp = math.max(stamp + 1, clock())
redis.call('HSET', KEYS[1], 'stamp', int(stamp))
redis.call('ZADD', KEYS[4], int(stamp), ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', int(stamp - ${writerTimeoutMs}))
`

/**
 * Trims one step of expired messages together with their ids. If ids expired earlier, a repeated message would be
 * stored twice; if later, they would fill the memory. Reads further messages only when the oldest has expired.
 */
const trim = `
local function trim(stream, ids, maxAgeMs, maxMessages, step)
  local upTo = head - maxMessages
  local tooOld = clock() - maxAgeMs
  local function findExpired(count)
    local found = redis.call('XRANGE', stream, '-', '+', 'COUNT', count)
    for _, entry in ipairs(found) do
      if storedAt(entry) >= tooOld then return end
      upTo = math.max(upTo, tonumber(string.match(entry[1], '^%d+')))
    end
    return #found
  end
  if findExpired(1) == 1 then findExpired(step) end
  upTo = math.min(upTo, oldest + step - 1)
  if upTo < oldest then return end
  redis.call('XTRIM', stream, 'MINID', int(upTo + 1))
  redis.call('ZREMRANGEBYSCORE', ids, '-inf', int(upTo))
  oldest = upTo + 1
  redis.call('HSET', KEYS[1], 'oldest', int(oldest))
end
`

/** Arguments of one entry: its id, the values of the message, and the epoch and seq of `after` (empty if none). */
const argsPerEntry = valuesPerMessage + 3

/**
 * Appends messages.
 *
 * KEYS: meta, stream, ids, writers. ARGV: epoch, run, name of the node, stamp that it knows, maxAgeMs, maxMessages,
 * then the arguments of each entry. Returns { 'ok', head, oldest, stamp, outcome ... }. An outcome is the seq, '=' and
 * the seq of a repeated message, or a rejection code. Returns { 'stale' } when Redis holds a log that the node does not
 * know.
 */
export const appendScript = redisScript(`${loadState}${messageCodecLua}${trim}${recordWrite}
local reply = { 'ok', 0, 0, int(stamp) }
local function appendOne(id, first, afterEpoch, afterSeq)
  local known = redis.call('ZSCORE', KEYS[3], id)
  if known then
    local seq = int(tonumber(known))
    local entry = redis.call('XRANGE', KEYS[2], seq, seq)[1]
    return entry and isSameMessage(entry, first) and '=' .. seq or 'id_conflict'
  end
  if afterEpoch ~= '' then
    local after = tonumber(afterSeq)
    if afterEpoch ~= epoch or after < oldest - 1 or after > head then return 'expired' end
  end
  local seq = int(head + 1)
  addMessage(KEYS[2], seq .. '-0', first, int(stamp))
  head = head + 1
  redis.call('ZADD', KEYS[3], seq, id)
  return seq
end
for i = 7, #ARGV, ${argsPerEntry} do
  reply[#reply + 1] = appendOne(ARGV[i], i + 1, ARGV[i + ${argsPerEntry - 2}], ARGV[i + ${argsPerEntry - 1}])
end
redis.call('HSET', KEYS[1], 'head', int(head))
trim(KEYS[2], KEYS[3], tonumber(ARGV[5]), tonumber(ARGV[6]), math.max(100, 2 * (#reply - 4)))
reply[2], reply[3] = int(head), int(oldest)
return reply
`)

/**
 * Checks the epoch on every new connection.
 *
 * KEYS: meta. ARGV: run id of the server, a new epoch, whether the server keeps all acknowledged writes, whether to
 * decide without confirmations, name of the node, then what the node knows, if anything: epoch, run, head, stamp.
 *
 * After a restart or a failover the server has another run id, and its log has to be adopted. The log keeps its epoch
 * only when every node that wrote recently confirms that nothing it knows is missing: one of them may have acknowledged
 * a message that no other node has read. Confirmations are stored under 'witnesses'. Each adoption adds the old run and
 * the head and stamp of the log to 'hops'. A node that knew more detects the loss by these entries, even if other nodes
 * have assigned the same seqs again.
 *
 * Returns { epoch, head, oldest, stamp }, or { 'unknown' } while confirmations are missing.
 */
export const epochCheckScript = redisScript(`${loadState}
local knownEpoch, knownRun, knownHead, knownStamp = ARGV[6], ARGV[7], tonumber(ARGV[8] or -1), tonumber(ARGV[9] or -1)
local function snapshot() return { epoch, int(head), int(oldest), int(stamp) } end
local writers, confirmations = '{room}:writers:' .. (epoch or ''), '{room}:witnesses:' .. (epoch or '')
local function startEpoch(from)
  if epoch then redis.call('UNLINK', '{room}:log:' .. epoch, '{room}:ids:' .. epoch, writers, confirmations) end
  epoch, head, oldest, stamp = ARGV[2], from, from + 1, clock()
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'head', int(head), 'oldest', int(oldest), 'stamp', int(stamp),
    'run', ARGV[1], 'hops', '[]')
  redis.call('ZADD', '{room}:writers:' .. epoch, int(stamp), ARGV[5])
  return snapshot()
end
-- A client takes head 0 for a room that never had a message and would not report a gap.
if not epoch then return startEpoch(knownEpoch and math.max(1, knownHead) or 0) end
catchUp('{room}:log:' .. epoch)
local hops = cjson.decode(redis.call('HGET', KEYS[1], 'hops') or '[]')
local isKnownEpoch = knownEpoch == epoch
-- Whether the log contains everything that the node knew under its run.
local function hasAllKnownWrites()
  if stamp < knownStamp or head < knownHead then return false end
  if knownRun == run then return true end
  local found = false
  for _, hop in ipairs(hops) do
    found = found or hop[1] == knownRun
    if found and (tonumber(hop[2]) < knownHead or tonumber(hop[3] or knownStamp) < knownStamp) then return false end
  end
  return found
end
if run == ARGV[1] then
  if isKnownEpoch and not hasAllKnownWrites() then return startEpoch(math.max(head, knownHead, 1)) end
  -- pcall: while Redis rejects writes, the node is registered by its first write.
  if not knownEpoch then redis.pcall('ZADD', writers, int(stamp), ARGV[5]) end
  return snapshot()
end
local isLost = ARGV[3] ~= '1' or (isKnownEpoch and not hasAllKnownWrites())
local function allWritersConfirm()
  if not isKnownEpoch then return false end
  redis.call('HSET', confirmations, ARGV[5], ARGV[1])
  local recent = redis.call('ZRANGEBYSCORE', writers, int(stamp - ${writerTimeoutMs}), '+inf')
  for _, name in ipairs(recent) do
    if redis.call('HGET', confirmations, name) ~= ARGV[1] then return false end
  end
  return #recent > 0
end
if not isLost and allWritersConfirm() then
  redis.call('UNLINK', confirmations)
  hops[#hops + 1] = { run, int(head), int(stamp) }
  while #hops > 50 do table.remove(hops, 1) end
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'hops', cjson.encode(hops))
  return snapshot()
end
if isLost or ARGV[4] == '1' then return startEpoch(math.max(head, knownHead, 1)) end
return { 'unknown' }
`)

/** Checks that Redis accepts writes, and trims. KEYS, ARGV and result as for the append, without entries. */
export const checkScript = redisScript(`${loadState}${messageCodecLua}${trim}${recordWrite}
trim(KEYS[2], KEYS[3], tonumber(ARGV[5]), tonumber(ARGV[6]), 1000)
return { 'ok', int(head), int(oldest), int(stamp) }
`)
