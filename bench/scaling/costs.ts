/**
 * Costs of one node and one Redis, measured on one core of a Neoverse-N1 (arm64). The costs of a write are fitted to the
 * table "CPU per delivery by rate, 1,000 clients" of docs/bench; `scaling.test.ts` compares the simulation with it.
 */
export const costs = {
  /** Fixed cost of one write to one socket. */
  writeUs: 10.3,
  /** Cost of each 60-character message in a write. */
  messageInWriteUs: 0.04,
  /** Cost of a write outside the call: sending in the kernel and TCP acknowledgements. */
  afterWriteUs: 5.5,
  /** Time from the flush request to the first write: the commit, or the append and the read from Redis. */
  storeMs: 3,
  /** Size of a 60-character message with frame, event, name, time and position. */
  messageBytes: 190,
  /** Size of an id in a presence list or delta. */
  presenceIdBytes: 23,
  /** Memory of the two idle connections of a page. */
  pageBytes: 2 * 10 * 1_024,
  /** Memory of a presence id of another node. */
  rosterIdBytes: 110,
  /** Cost of a ping and its pong on one connection. */
  pingUs: 25,
  /** Cost in Redis of one append with its share of an fsync. */
  redisAppendUs: 110,
  /** Cost in Redis of one read by a waiting node. */
  redisReadUs: 18,
} as const
