import type { OperatorMessage, MessageLog, StoredSender } from '../../../room/message-log.ts'
import type { RedisLink } from '../redis-link.ts'
import { redisScript, runScript } from '../redis-script.ts'
import { decodeEntries, fetchListed } from './log-entries.ts'
import { streamKey, textsKey } from './log-scripts.ts'
import type { LogState } from './log-state.ts'

/** Maximum number of seqs that one call searches. The call blocks Redis. */
const seqsPerCall = 1_000

/**
 * Returns the seqs of a sender from ARGV[1] to ARGV[2]. The sender is the account ARGV[3], or, if ARGV[3] is empty, any
 * anonymous sender of the network ARGV[4]. KEYS: texts of the log.
 */
const searchScript = redisScript(`
local seqs, found = {}, {}
for seq = tonumber(ARGV[1]), tonumber(ARGV[2]) do seqs[#seqs + 1] = string.format('%.0f', seq) end
for i, text in ipairs(redis.call('HMGET', KEYS[1], unpack(seqs))) do
  if text then
    local sender = cjson.decode(string.match(text, '^[^\\n]*'))
    local account = sender[2] ~= cjson.null and sender[2] or ''
    if account == ARGV[3] and (account ~= '' or sender[3] == ARGV[4]) then found[#found + 1] = seqs[i] end
  end
end
return found
`)

/**
 * Creates the queries of moderators and operators: the sender of a message, the messages of a sender, and the newest
 * messages.
 */
export function createSenderQueries(
  link: RedisLink,
  state: LogState,
): Pick<MessageLog, 'senderOf' | 'seqsOfSender' | 'listForOperator'> {
  async function list(newest: string, oldest: string, count: number): Promise<OperatorMessage[]> {
    const connection = await link.connection()
    const { log } = state.identity()
    const range = [newest, oldest, 'COUNT', `${count}`]
    const reply = await connection.command(['XREVRANGE', streamKey(log), ...range])
    const entries = Array.isArray(reply) ? reply.toReversed() : []
    return fetchListed(connection, log, decodeEntries(entries, state.line().lineage).known)
  }

  return {
    async senderOf(seq) {
      const [found] = await list(`${seq}`, `${seq}`, 1)
      return found?.sender == null ? null : { ...found.sender, username: found.message.username }
    },
    async seqsOfSender({ accountId, network }: StoredSender) {
      if (accountId === null && network === '') return []
      const connection = await link.connection()
      const texts = textsKey(state.identity().log)
      const found: number[] = []
      const last = state.knownHead()
      for (let first = state.bounds().oldest; first <= last; first += seqsPerCall) {
        const range = [first, Math.min(last, first + seqsPerCall - 1)]
        const reply = await runScript(connection, searchScript, [texts], [...range, accountId ?? '', network ?? ''])
        if (Array.isArray(reply)) found.push(...reply.map(Number))
      }
      return found
    },
    listForOperator: (count, before) =>
      count > 0 ? list(before === undefined ? '+' : `(${before}-0`, '-', count) : Promise.resolve([]),
  }
}
