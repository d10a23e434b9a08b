import { redisScript } from '../redis-script.ts'

/** Key of the hash with the state of the log. All keys have one hash tag, so that a script can access them together. */
export const stateKey = '{room}:state'
/**
 * Returns the key of the stream with one entry per message: its term, and the time of the log. The texts are in a
 * separate hash, so that a text can be overwritten.
 */
export const streamKey = (log: string) => `{room}:entries:${log}`
export const textsKey = (log: string) => `{room}:texts:${log}`
/**
 * Returns the key of the stream of removals. An entry holds the seqs that one call removed. Its id is `N-0`, where N is the
 * number of removals so far.
 */
export const removalsKey = (log: string) => `{room}:removals:${log}`
export const keysOf = (log: string) => [stateKey, streamKey(log), textsKey(log), `{room}:ids:${log}`, removalsKey(log)]
/** Index in KEYS of the stream of the cluster events, which follows the keys of the log. */
const eventsKeyIndex = keysOf('').length + 1

/** Key of the hash in which an earlier version of the server stored the state of the log. */
export const earlierStateKey = '{room}:meta'

/** End of the first line of a text that was removed. The second line holds the time of the original message. */
export const removedMark = ',1]\\n'

/**
 * Field of a stream entry that holds its term. The other field, 's', holds the time of the log at which the entry was
 * stored.
 */
export const termField = 'e'

/**
 * Loads the state of the log. The stream is KEYS[2], or else the stream that the state names. XADD runs before the
 * head is updated, and Redis does not roll back a failed script, so the script also reads the head from the stream.
 * `int` formats integers, because Lua would write 1e+15.
 */
export const loadState = `
local int = function(n) return string.format('%.0f', n) end
local state = redis.call('HMGET', KEYS[1], 'run', 'term', 'head', 'oldest', 'time', 'log', 'lineage', 'removals')
local run, term, head, oldest = state[1], state[2], tonumber(state[3] or 0), tonumber(state[4] or 1)
local function seqOf(entry) return tonumber(string.match(entry[1], '^%d+')) end
local newest = run and redis.call('XREVRANGE', KEYS[2] or '{room}:entries:' .. state[6], '+', '-', 'COUNT', 1)[1]
if newest then head = math.max(head, seqOf(newest)) end
`

/**
 * Returns { run, head, oldest, log, lineage, number of removals }, or nothing if there is no log. Works while Redis
 * rejects writes.
 */
export const readScript = redisScript(`${loadState}
if not run then return {} end
return { run, int(head), int(oldest), state[6], state[7], state[8] or '0' }
`)

/**
 * Updates the state if it still has run ARGV[1], term ARGV[2] and head ARGV[3] (all empty if there is no log).
 * Otherwise another node has changed the log. The names and values of the new fields follow in ARGV.
 */
export const replaceStateScript = redisScript(`${loadState}
if (run or '') ~= ARGV[1] or (term or '') ~= ARGV[2] or (run and int(head) or '') ~= ARGV[3] then return end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
`)

/**
 * Takes over the log of an earlier version, whose entries hold their texts. The old state becomes a string: a node of
 * that version then rejects all messages, instead of starting a log of its own. KEYS: state, earlier state. ARGV: name
 * of the log, token of its first term.
 */
export const takeOverScript = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('TYPE', KEYS[2]).ok ~= 'hash' then return end
local epoch, head, oldest = unpack(redis.call('HMGET', KEYS[2], 'epoch', 'head', 'oldest'))
local function move(from, to)
  if redis.call('EXISTS', from) == 1 then redis.call('RENAME', from, to) end
end
move('{room}:log:' .. epoch, '{room}:entries:' .. ARGV[1])
move('{room}:ids:' .. epoch, '{room}:ids:' .. ARGV[1])
local term = ARGV[2] .. '.' .. oldest .. '.'
redis.call('HSET', KEYS[1], 'run', '', 'term', term, 'head', head, 'oldest', oldest, 'log', ARGV[1],
  'lineage', cjson.encode({ { id = term, first = tonumber(oldest), epoch = epoch } }))
redis.call('UNLINK', '{room}:writers:' .. epoch, '{room}:witnesses:' .. epoch)
redis.call('SET', KEYS[2], 'taken over by a later version')
`)

/**
 * Maximum lead of the clock over the time of the log when the first node starts. A clock that is further ahead may be
 * wrong, so messages age by the lead only after an hour. SQLite has the same limit.
 */
const clockGraceMs = 3_600_000

/** Rejects a node whose run ARGV[1] or term ARGV[2] differs from the log, or whose highest known seq ARGV[3] is beyond the head. */
const rejectStale = `
if run ~= ARGV[1] or term ~= ARGV[2] or head < tonumber(ARGV[3]) then return { 'stale' } end
`

/** Returns { 'ok', head, oldest, '', number of removals }, or { 'stale' }. Works while Redis rejects writes. */
export const boundsScript = redisScript(`${loadState}${rejectStale}
return { 'ok', int(head), int(oldest), '', state[8] or '0' }
`)

/**
 * Rejects a stale node, then advances the time of the log. This time follows the clock of Redis but never goes back. It
 * does not follow the clock beyond ARGV[4], which the node computes from its monotonic clock (empty in its first call). If
 * a first call finds the clock far ahead, after all nodes were stopped, messages age by the difference only after an hour.
 */
export const enter = `${rejectStale}
local time = redis.call('TIME')
local wall = time[1] * 1000 + math.floor(time[2] / 1000)
local now, offset, held, heldAt = string.match(state[5] or '', '^(%d+) (-?%d+) (%d+) (%d+)$')
now, offset, held, heldAt = tonumber(now or wall), tonumber(offset or 0), tonumber(held or 0), tonumber(heldAt or 0)
local due = wall - offset
if due < now then
  held = math.max(0, held - (now - due))
elseif ARGV[4] ~= '' then
  now = math.max(now, math.min(due, tonumber(ARGV[4])))
elseif due - now <= ${clockGraceMs} then
  now = due
else
  held, heldAt = held + due - now, now
end
if held > 0 and now - heldAt > ${clockGraceMs} then now, held = now + held, 0 end
redis.call('HSET', KEYS[1], 'time', table.concat({ int(now), int(wall - now), int(held), int(heldAt) }, ' '))
`

/**
 * Trims at most `step` expired messages (older than ARGV[5] ms, or beyond ARGV[6] messages) with their texts and ids. If
 * ids expired earlier, a repeated message would be stored twice; if later, they would fill the memory. Reads more than one
 * message only when the oldest has expired. Then writes the bounds and returns the result of the script.
 */
export const finish = `
local function finish(reply, step)
  local upTo = head - tonumber(ARGV[6])
  local function findExpired(count)
    local found = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', count)
    for _, entry in ipairs(found) do
      local fields = entry[2]
      if tonumber(fields[#fields]) >= now - tonumber(ARGV[5]) then return end
      upTo = math.max(upTo, seqOf(entry))
    end
    return #found
  end
  if findExpired(1) == 1 then findExpired(step) end
  upTo = math.min(upTo, oldest + step - 1)
  if upTo >= oldest then
    redis.call('XTRIM', KEYS[2], 'MINID', int(upTo + 1))
    for first = oldest, upTo, 500 do
      local seqs = {}
      for seq = first, math.min(upTo, first + 499) do seqs[#seqs + 1] = int(seq) end
      redis.call('HDEL', KEYS[3], unpack(seqs))
    end
    redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', int(upTo))
    oldest = upTo + 1
  end
  redis.call('HSET', KEYS[1], 'head', int(head), 'oldest', int(oldest))
  reply[1], reply[2], reply[3], reply[4] = 'ok', int(head), int(oldest), int(now)
  return reply
end
`

/**
 * Appends messages.
 *
 * KEYS: see `keysOf`, then the stream of the cluster events. ARGV: run, term, highest known seq, time limit, maxAgeMs,
 * maxMessages, last processed event (see `EventStream`). Three more for each entry: id (may be empty), text (see
 * `message-codec.ts`), and the seq after which the log must still have all messages. An empty seq sets no condition; -1
 * rejects the message as expired, unless its id is stored. Returns { 'ok', head, oldest, time, outcome ... }. An outcome is
 * the seq, '=' and the seq of a repeated message, or a rejection code. Returns { 'behind' } when the node has not processed
 * all events, and { 'stale' } when Redis holds a log that the node has not adopted.
 */
export const appendScript = redisScript(`${loadState}
local event = redis.call('XREVRANGE', KEYS[${eventsKeyIndex}], '+', '-', 'COUNT', 1)[1]
if (event and event[2][4] or '') ~= ARGV[7] then return { 'behind' } end
${enter}${finish}
local reply = { '', '', '', '' }
local function bodyOf(text) return string.match(text, '\\n(.*)$') end
local function isSameMessage(seq, text)
  local stored = redis.call('HGET', KEYS[3], seq)
  if stored and string.find(stored, '${removedMark}', 1, true) then
    return string.match(stored, '%d+%]$') == string.match(text, '%d+%]$')
  end
  if stored then return bodyOf(stored) == bodyOf(text) end
  -- The entry was written by an earlier version: name, message, time, each with the name of the field.
  local entry, body = redis.call('XRANGE', KEYS[2], seq, seq)[1], cjson.decode(bodyOf(text))
  return entry and entry[2][4] == body[1] and entry[2][6] == int(body[2])
end
local function appendOne(id, text, after)
  local known = id ~= '' and redis.call('ZSCORE', KEYS[4], id)
  if known then
    local seq = int(tonumber(known))
    return isSameMessage(seq, text) and '=' .. seq or 'id_conflict'
  end
  if after ~= '' and (tonumber(after) < oldest - 1 or tonumber(after) > head) then return 'expired' end
  local seq = int(head + 1)
  redis.call('HSET', KEYS[3], seq, text)
  redis.call('XADD', KEYS[2], seq .. '-0', '${termField}', term, 's', int(now))
  head = head + 1
  if id ~= '' then redis.call('ZADD', KEYS[4], seq, id) end
  return seq
end
for i = 8, #ARGV, 3 do reply[#reply + 1] = appendOne(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return finish(reply, math.max(100, 2 * (#reply - 4)))
`)

/**
 * Checks that Redis accepts writes, and trims. KEYS: those of the append. ARGV: the first six of the append. The result
 * ends with the fields `erased` and `rewriting` of the state (see `PendingErasure`). A field that is not set is empty.
 */
export const checkScript = redisScript(`${loadState}${enter}${finish}
local files = redis.call('HMGET', KEYS[1], 'erased', 'rewriting')
return finish({ '', '', '', '', files[1] or '', files[2] or '' }, 1000)
`)
