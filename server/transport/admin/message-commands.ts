import { anonymousSuffix } from '../../../contract/constants.ts'
import {
  type AdminCommand,
  numberOption,
  operator,
  seqOption,
  seqRange,
  textOption,
  UsageError,
  wholeNumber,
} from './command.ts'
import { tableOr, timeText } from './text-table.ts'

const defaultMessages = 20
/** Maximum number of messages that `messages list` reads. */
const maxMessages = 10_000
/** Maximum length of a text in the table. `--json` prints whole texts. */
const maxShownText = 300

const messagesList: AdminCommand = {
  name: 'messages list',
  words: [],
  options: {
    last: { value: 'N', help: `at most this many messages; ${defaultMessages} by default` },
    from: { value: 'NAME', help: `only messages under this name, among the newest ${maxMessages}` },
  },
  help: 'Lists the newest messages with their seqs, oldest first.',
  prepare(given) {
    const count = numberOption(given, 'last', { min: 1, max: maxMessages }) ?? defaultMessages
    const from = textOption(given, 'from')
    const names = from === null ? null : [from, `${from}${anonymousSuffix}`]
    return async ({ log }) => {
      const newest = await log.listNewest(names === null ? count : maxMessages)
      const shown = newest.filter(({ message }) => names?.includes(message.username) ?? true).slice(-count)
      const messages = shown.map(
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
      return { data: { messages }, text: tableOr('No messages found.', ['seq', 'time', 'name', 'text'], rows) }
    }
  },
}

const messagesRemove: AdminCommand = {
  name: 'messages remove',
  words: ['[SEQ…]'],
  options: { 'sender-of': { value: 'SEQ', help: 'remove all messages of the sender of this message instead' } },
  help: 'Removes the texts of messages for good: from the log, from memory and from every page. Give seqs or --sender-of.',
  prepare(given) {
    const senderOf = seqOption(given, 'sender-of')
    const seqs = given.words.map((word) => wholeNumber('SEQ', word, seqRange))
    if ((senderOf === null) === (seqs.length === 0))
      throw new UsageError('messages remove: give either seqs or --sender-of')
    return async ({ moderation }) => {
      const { removed = 0 } = await moderation.perform(
        operator,
        senderOf === null ? { type: 'remove', seqs } : { type: 'remove-sender', senderOf },
      )
      return { data: { removed }, text: `Removed ${removed} messages.` }
    }
  },
}

export const messageCommands = [messagesList, messagesRemove]
