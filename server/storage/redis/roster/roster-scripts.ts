import { redisScript } from '../redis-script.ts'

/** Keys of the roster. They have one hash tag, so that they share a slot and a script can access them together. */
export const rosterKeys = {
  /** Key of the sorted set of nodes. The score is the time of the last heartbeat on the clock of Redis. */
  leases: '{presence}:leases',
  versions: '{presence}:versions',
  /**
   * Key of the stream of recent changes of all nodes. A node that missed a change reads the whole list of the node that
   * published it.
   */
  changes: '{presence}:changes',
  idsOf: (node: string) => `{presence}:ids:${node}`,
}

const keptChanges = 256

/**
 * Renews the lease of a node and removes nodes whose lease has expired.
 *
 * KEYS: leases, versions. ARGV: node, lease in ms. Returns node, version and age in ms of each live node that has a list.
 */
export const heartbeatScript = redisScript(`
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
-- After the clock was set back, the leases of stopped nodes would not expire.
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
 * Stores and publishes a change of the list of a node.
 *
 * KEYS: versions, ids, changes. ARGV: node, previous version (empty to replace the whole list), new version, the change
 * as JSON, number of joined ids, then the joined and the left ids. Returns 0 when the stored version differs from the
 * previous version.
 */
export const publishScript = redisScript(`
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

/** Reads the list of a node. KEYS: versions, ids. ARGV: node. Returns version and ids, or nothing if it has no list. */
export const readScript = redisScript(`
local version = redis.call('HGET', KEYS[1], ARGV[1])
if not version then return false end
return { version, redis.call('SMEMBERS', KEYS[2]) }
`)

/** Removes a node and its list, and publishes the change. KEYS: leases, versions, ids, changes. ARGV: node, the change as JSON. */
export const leaveScript = redisScript(`
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ${keptChanges}, '*', 'change', ARGV[2])
return 1
`)
