import { maxKeptRemovals } from '../../../room/removals.ts'
import { redisScript } from '../redis-script.ts'
import { enter, finish, loadState, removedMark } from './log-scripts.ts'

/**
 * Moves the texts of an earlier version from the stream into their hash, and copies the stream without them. Entries of a
 * stream cannot be changed, and deleted entries stay in memory.
 */
const moveTexts = `
local function json(text) return (string.gsub(cjson.encode(text), '\\\\/', '/')) end
local function moveTexts()
  local copy, from, found = KEYS[2] .. ':copy', '-', nil
  repeat
    found = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', 1000)
    for _, entry in ipairs(found) do
      local id, fields = entry[1], entry[2]
      if fields[1] == 'u' then
        local text = '[' .. json(fields[2]) .. ']\\n[' .. json(fields[4]) .. ',' .. fields[6] .. ']'
        redis.call('HSETNX', KEYS[3], int(seqOf(entry)), text)
        fields = { 's', fields[#fields] }
      end
      redis.call('XADD', copy, id, unpack(fields))
      from = '(' .. id
    end
  until #found < 1000
  redis.call('RENAME', copy, KEYS[2])
end
`

/**
 * Removes messages: overwrites their texts, keeps their senders, and adds the removal to the stream of removals.
 *
 * KEYS: see `keysOf`. ARGV: the first six of the append, the text of a removed message as JSON, and the seqs. Returns
 * { 'ok', head, oldest, time, number of removals, removed seq ... }, or { 'stale' }.
 */
export const removeScript = redisScript(`${loadState}${enter}${finish}${moveTexts}
local removed, count = {}, tonumber(state[8] or 0)
local function remove(seq)
  if tonumber(seq) < oldest or tonumber(seq) > head then return end
  if redis.call('HEXISTS', KEYS[3], seq) == 0 then moveTexts() end
  local line, body = string.match(redis.call('HGET', KEYS[3], seq) or '', '^([^\\n]*)%]\\n(.*)$')
  if not line then return end
  local sender = cjson.decode(line .. ']')
  if sender[4] == 1 then return end
  if not sender[3] then line = line .. ',null,null' end
  redis.call('HSET', KEYS[3], seq, line .. '${removedMark}' .. '[' .. ARGV[7] .. string.match(body, ',%d+%]$'))
  removed[#removed + 1] = seq
end
for i = 8, #ARGV do remove(ARGV[i]) end
if #removed > 0 then
  count = count + #removed
  redis.call('XADD', KEYS[5], int(count) .. '-0', 'seqs', table.concat(removed, ','), 's', int(now))
  redis.call('HSET', KEYS[1], 'removals', int(count), 'erased', int(count))
  for _, entry in ipairs(redis.call('XRANGE', KEYS[5], '-', '+', 'COUNT', 100)) do
    local isOld = tonumber(entry[2][4]) < now - tonumber(ARGV[5]) or seqOf(entry) <= count - ${maxKeptRemovals}
    if isOld then redis.call('XDEL', KEYS[5], entry[1]) end
  end
end
return finish({ '', '', '', '', int(count), unpack(removed) }, 1000)
`)

/**
 * Records that the files of Redis were rewritten after ARGV[1] removals. Returns nothing if another node has recorded it,
 * or if a newer removal needs another rewrite. KEYS: state.
 */
export const rewrittenScript = redisScript(`
if redis.call('HGET', KEYS[1], 'erased') == ARGV[1] then return redis.call('HDEL', KEYS[1], 'erased', 'rewriting') end
`)
