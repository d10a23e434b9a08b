/**
 * What one node and one Redis cost, as measured on the machine of docs/bench (one core of a Neoverse-N1). The two costs of
 * a write are fitted to "CPU per delivery by rate, 1,000 clients"; `scaling.test.ts` holds the simulation against that table.
 */
export const costs = {
  /** One write to one socket, whatever it holds: 10.4 µs with one message in it. */
  writeUs: 10.3,
  /** Each message in a write, of 60 characters. */
  messageInWriteUs: 0.04,
  /** What the process spends for a write outside of it: the kernel’s sending, the reader’s acknowledgements. */
  afterWriteUs: 5.5,
  /** From the request to flush to the first write: the commit, or the append and the read-back. */
  storeMs: 3,
  /** A message of 60 characters with its frame, event, name, time and position. */
  messageBytes: 190,
  /** An id in a list or a delta. */
  presenceIdBytes: 23,
  /** Both connections of a page on a node, idle. */
  pageBytes: 2 * 10 * 1_024,
  /** An id that another node holds, in a node's memory. */
  rosterIdBytes: 110,
  /** A ping and its answer, on each of a page's two connections. */
  pingUs: 25,
  /** Redis: one append with its share of an fsync, and one read of a node that waits. */
  redisAppendUs: 110,
  redisReadUs: 18,
} as const
