import { anonymousSuffix } from '../../../contract/constants.ts'
import type { OperatorMessage } from '../../room/message-log.ts'
import {
  type AdminCommand,
  type AdminContext,
  numberOption,
  operator,
  seqOption,
  seqRange,
  textOption,
  UsageError,
  wholeNumber,
} from './command.ts'
import { countText, tableOr, timeText } from './text-table.ts'

const defaultMessages = 20
/** Maximum number of messages that `messages list` reads. */
const maxMessages = 10_000
/** Maximum length of a text in the table. `--json` prints whole texts. */
const maxShownText = 300

/** Maximum number of messages per read of the log, which bounds the memory. */
const pageSize = 500
/** Number of characters of texts after which a listing ends, which bounds the memory. */
const maxListedCharacters = 4_000_000

interface Listing {
  count: number
  before: number | null
  /** Names of the senders whose messages are listed; `null` for all senders. */
  names: readonly string[] | null
}

/**
 * Lists the newest messages, oldest first. `next` is the `before` of the next listing; `undefined` if the log holds no
 * earlier message. `isIncomplete` says whether fewer than `count` messages are listed.
 */
async function listMessages(log: AdminContext['log'], { count, before, names }: Listing) {
  const found: OperatorMessage[] = []
  let [read, characters] = [0, 0]
  let end = before ?? undefined
  while (found.length < count && read < maxMessages && characters < maxListedCharacters) {
    const page = await log.listForOperator(Math.min(pageSize, names === null ? count - found.length : pageSize), end)
    if (page.length === 0) break
    for (const listed of page.toReversed()) {
      if (found.length === count) break
      end = listed.seq
      if (names?.includes(listed.message.username) === false) continue
      found.push(listed)
      characters += listed.message.message.length
      if (characters >= maxListedCharacters) break
    }
    read += page.length
  }
  const hasEarlier = end !== undefined && (await log.listForOperator(1, end)).length > 0
  return { listed: found.toReversed(), next: hasEarlier ? end : undefined, isIncomplete: found.length < count }
}

const messagesList: AdminCommand = {
  name: 'messages list',
  words: [],
  options: {
    last: { value: 'N', help: `at most this many messages; ${defaultMessages} by default` },
    from: { value: 'NAME', help: `only messages under this name; searches at most ${maxMessages} messages` },
    before: { value: 'SEQ', help: 'only messages before this one' },
  },
  help: 'Lists the newest messages with their seqs, oldest first.',
  prepare(given) {
    const count = numberOption(given, 'last', { min: 1, max: maxMessages }) ?? defaultMessages
    const before = seqOption(given, 'before')
    const from = textOption(given, 'from')
    const names = from === null ? null : [from, `${from}${anonymousSuffix}`]
    return async ({ log }) => {
      const { listed, next, isIncomplete } = await listMessages(log, { count, before, names })
      const messages = listed.map(
        ({ seq, sender, removed, message: { username: name, message: text, createdTime } }) => ({
          seq,
          name,
          text,
          createdTime,
          isRegistered: sender !== null && sender.accountId !== null,
          isRemoved: removed,
        }),
      )
      const rows = messages.map(({ seq, name, text, createdTime }) => [
        String(seq),
        timeText(createdTime),
        name,
        text.length > maxShownText ? `${text.slice(0, maxShownText)}…` : text,
      ])
      const table = tableOr('No messages found.', ['seq', 'time', 'name', 'text'], rows)
      const hint = `\n${isIncomplete ? 'The listing stopped early. ' : ''}For earlier messages, add --before ${next}`
      return { data: { messages, next }, text: next === undefined ? table : table + hint }
    }
  },
}

const messagesRemove: AdminCommand = {
  name: 'messages remove',
  words: ['[SEQ…]'],
  options: {
    'sender-of': { value: 'SEQ', help: 'remove all messages of the sender of this message instead' },
    loopback: {
      help: 'with --sender-of: also for anonymous senders on the machine of the server; removes the messages of all of them',
    },
  },
  help: 'Removes the texts of messages permanently: from the log, from memory and from every page. Give seqs or --sender-of.',
  prepare(given) {
    const senderOf = seqOption(given, 'sender-of')
    const seqs = given.words.map((word) => wholeNumber('SEQ', word, seqRange))
    if ((senderOf === null) === (seqs.length === 0))
      throw new UsageError('messages remove: give either seqs or --sender-of')
    const loopback = given.options['loopback'] === true ? ({ loopback: true } as const) : {}
    if (senderOf === null && 'loopback' in loopback)
      throw new UsageError('messages remove: --loopback needs --sender-of')
    return async ({ moderation }) => {
      const { removed = 0 } = await moderation.perform(
        operator,
        senderOf === null ? { type: 'remove', seqs } : { type: 'remove-sender', senderOf, ...loopback },
      )
      return { data: { removed }, text: `Removed ${countText(removed, 'message')}.` }
    }
  },
}

export const messageCommands = [messagesList, messagesRemove]
