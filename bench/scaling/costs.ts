/**
 * Costs of one node and one Redis, measured on one core of a Neoverse-N1 (arm64). The costs of a write are fitted to
 * `measurements`; `scaling.test.ts` compares the simulation with these measurements.
 */
export const costs = {
  /** Fixed cost of one write to one socket. */
  writeUs: 10.3,
  /** Cost of each 60-character message in a write. */
  messageInWriteUs: 0.04,
  /** Cost of a write in the kernel after the call returns: sending and TCP acknowledgements. */
  afterWriteUs: 5.5,
  /** Time from the start of a flush to the first write: the commit of SQLite, or the append to Redis and the read from Redis. */
  storeMs: 3,
  /** Size of a 60-character message with frame, event, name, time and position. */
  messageBytes: 190,
  /** Size of an id in a presence list or delta. */
  presenceIdBytes: 23,
  /** Memory of a presence id of another node. */
  rosterIdBytes: 110,
  /** Cost of a ping and its pong on one connection. */
  pingUs: 25,
  /** Cost in Redis of one append with its share of an fsync. */
  redisAppendUs: 110,
  /** Cost in Redis of one read by a waiting node. */
  redisReadUs: 18,
} as const

/** Measurements of a node with 1,000 clients, from the same machine. */
export const measurements = [
  { messagesPerSecond: 300, cpuPerDeliveryUs: 1.96, p99Ms: 35 },
  { messagesPerSecond: 1_000, cpuPerDeliveryUs: 0.72, p99Ms: 43.3 },
  { messagesPerSecond: 2_000, cpuPerDeliveryUs: 0.34, p99Ms: 53.7 },
  { messagesPerSecond: 4_000, cpuPerDeliveryUs: 0.2, p99Ms: 73.6 },
]
