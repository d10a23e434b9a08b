import { redisScript } from '../redis-script.ts'

/** One hash tag: a Redis Cluster would keep them together. */
export const rosterKeys = {
  /** Each node with the time, by Redis's clock, at which it last said that it is alive. */
  leases: '{presence}:leases',
  versions: '{presence}:versions',
  /** What nodes told lately; who missed something reads the node's list. */
  changes: '{presence}:changes',
  idsOf: (node: string) => `{presence}:ids:${node}`,
}

const keptChanges = 256

/** KEYS leases, versions; ARGV node, lease in ms. Answers node, version and age in ms of each that is alive. */
export const beatScript = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
local function drop(nodes)
  for _, node in ipairs(nodes) do
    redis.call('ZREM', KEYS[1], node)
    redis.call('HDEL', KEYS[2], node)
    redis.call('DEL', '{presence}:ids:' .. node)
  end
end
drop(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2]))
-- A clock that was set back would keep the dead alive until it gets there again.
drop(redis.call('ZRANGEBYSCORE', KEYS[1], now + 1000, '+inf'))
local alive = {}
local leases = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do
  local version = redis.call('HGET', KEYS[2], leases[i])
  if version then
    alive[#alive + 1] = { leases[i], version, tostring(now - leases[i + 1]) }
  end
end
return alive
`)

/**
 * KEYS versions, ids, changes; ARGV node, version before (empty: whatever was there is replaced), version now, the change
 * as the others are to read it, how many of the ids that follow have joined. Answers whether it was done.
 */
export const announceScript = redisScript(`
local known = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] == '' then
  redis.call('DEL', KEYS[2])
elseif known ~= ARGV[2] then
  return 0
end
local joined = 5 + ARGV[5]
for i = 6, #ARGV do
  if i <= joined then redis.call('SADD', KEYS[2], ARGV[i]) else redis.call('SREM', KEYS[2], ARGV[i]) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ${keptChanges}, '*', 'change', ARGV[4])
return 1
`)

/** KEYS versions, ids; ARGV node. Answers version and ids in one step, or nothing when the node has none. */
export const readScript = redisScript(`
local version = redis.call('HGET', KEYS[1], ARGV[1])
if not version then return false end
return { version, redis.call('SMEMBERS', KEYS[2]) }
`)

/** KEYS leases, versions, ids, changes; ARGV node, the change. */
export const leaveScript = redisScript(`
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ${keptChanges}, '*', 'change', ARGV[2])
return 1
`)
