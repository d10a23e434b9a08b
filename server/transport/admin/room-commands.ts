import { maxSlowModeSeconds } from '../../../contract/limits.ts'
import type { RoomRules } from '../../../contract/moderation.ts'
import { ruleKeys, ruleTexts } from '../../moderation/descriptions.ts'
import { escapeControls } from '../../observe/untrusted-text.ts'
import { type AdminCommand, numberOption, operator, UsageError, wholeNumber } from './command.ts'
import { tableOr, textTable, timeText } from './text-table.ts'

const defaultAuditEntries = 100
const maxAuditEntries = 10_000

interface RuleReader {
  /** Values of the rule, for the help. */
  values: string
  read: (value: string, name: string) => Partial<RoomRules>
}

const onOff = 'on|off'
const ruleReaders: Readonly<Record<keyof RoomRules, RuleReader>> = {
  slowModeSeconds: {
    values: 'SECONDS (0 or off turns it off)',
    read: (value, name) => ({
      slowModeSeconds: value === 'off' ? 0 : wholeNumber(name, value, { min: 0, max: maxSlowModeSeconds }),
    }),
  },
  accountsOnly: { values: onOff, read: (value, name) => ({ accountsOnly: switchValue(name, value) }) },
  linksOff: { values: onOff, read: (value, name) => ({ linksOff: !switchValue(name, value) }) },
  readOnly: { values: onOff, read: (value, name) => ({ readOnly: switchValue(name, value) }) },
}

function switchValue(name: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new UsageError(`${name}: '${value}' is neither on nor off`)
  return value === 'on'
}

function readRule(word: string): Partial<RoomRules> {
  const [name = '', value = ''] = word.split('=', 2)
  const key = ruleKeys.find((known) => ruleTexts[known].name === name)
  if (key === undefined) {
    const names = ruleKeys.map((known) => ruleTexts[known].name)
    throw new UsageError(`rules set: '${name}' is not a rule; use one of ${names.join(', ')}`)
  }
  return ruleReaders[key].read(value, name)
}

const describe = (rules: RoomRules) =>
  textTable(
    ['rule', 'value'],
    ruleKeys.map((key) => [ruleTexts[key].name, ruleTexts[key].valueIn(rules)]),
  )

const rulesShow: AdminCommand = {
  name: 'rules show',
  words: [],
  options: {},
  help: 'Shows the rules of the room.',
  prepare() {
    return async ({ moderation }) => ({ data: { rules: moderation.rules() }, text: describe(moderation.rules()) })
  },
}

const rulesSet: AdminCommand = {
  name: 'rules set',
  words: ['RULE=VALUE…'],
  options: {},
  help: `Sets the given rules and keeps the others. ${ruleKeys.map((key) => `${ruleTexts[key].name}=${ruleReaders[key].values}`).join(', ')}.`,
  prepare({ words }) {
    const rules = Object.assign({}, ...words.map(readRule)) as Partial<RoomRules>
    return async ({ moderation }) => {
      await moderation.perform(operator, { type: 'set-rules', rules })
      const effective = moderation.rules()
      return { data: { rules: effective }, text: describe(effective) }
    }
  },
}

const wordsList: AdminCommand = {
  name: 'words list',
  words: [],
  options: {},
  help: 'Lists the filtered words.',
  prepare() {
    return async ({ moderation }) => {
      const words = moderation.words()
      const rows = words.map(({ word, inside }) => [word, inside ? 'also inside other words' : 'as a whole word'])
      return { data: { words }, text: tableOr('No filtered words.', ['word', 'matches'], rows) }
    }
  },
}

const wordsAdd: AdminCommand = {
  name: 'words add',
  words: ['WORD'],
  options: { inside: { help: 'match the word inside other words too' } },
  help: 'Rejects messages that contain this word, also in disguise: with look-alike characters (0 for o, 1 for i), separators, or letters repeated three times or more. Other digits for letters (3, 4, 7) need a word of their own.',
  prepare({ words: [word = ''], options }) {
    const inside = options['inside'] === true
    return async ({ moderation }) => {
      await moderation.perform(operator, { type: 'add-word', word, inside })
      return { data: { added: word, inside }, text: `Added ${escapeControls(word)}.` }
    }
  },
}

const wordsRemove: AdminCommand = {
  name: 'words remove',
  words: ['WORD'],
  options: {},
  help: 'Removes a filtered word.',
  prepare({ words: [word = ''] }) {
    return async ({ moderation }) => {
      await moderation.perform(operator, { type: 'remove-word', word })
      return { data: { removed: word }, text: `Removed ${escapeControls(word)}.` }
    }
  },
}

const wordsTest: AdminCommand = {
  name: 'words test',
  words: ['TEXT…'],
  options: {},
  help: 'Shows which filtered words a text contains.',
  prepare({ words }) {
    return async ({ moderation }) => {
      const found = moderation.findWords(words.join(' '))
      if (found === null)
        return {
          data: { found: 'too_long' },
          text: 'Rejected: normalized, the text is too long, or its directions are nested too deeply.',
        }
      const text = found.length === 0 ? 'The text is allowed.' : `Rejected for: ${found.map(escapeControls).join(', ')}`
      return { data: { found }, text }
    }
  },
}

const audit: AdminCommand = {
  name: 'audit',
  words: [],
  options: { last: { value: 'N', help: `at most this many actions; ${defaultAuditEntries} by default` } },
  help: 'Lists the actions of moderators and of the operator, newest first.',
  prepare(given) {
    const count = numberOption(given, 'last', { min: 1, max: maxAuditEntries }) ?? defaultAuditEntries
    return async ({ moderation }) => {
      const entries = await moderation.audit(count)
      const rows = entries.map(({ atMs, actor, action, target, reason, endsAtMs }) => [
        timeText(atMs),
        actor,
        action,
        target,
        endsAtMs === null ? '' : timeText(endsAtMs),
        reason ?? '',
      ])
      const text = tableOr('No actions.', ['time', 'actor', 'action', 'target', 'ends', 'reason'], rows)
      return { data: { entries }, text }
    }
  },
}

const announce: AdminCommand = {
  name: 'announce',
  words: ['[TEXT…]'],
  options: { end: { help: 'end the announcement instead' } },
  help: 'Shows a notice above the list of messages, until the user dismisses it or --end ends it.',
  prepare({ words, options }) {
    const text = options['end'] === true ? null : words.join(' ')
    if (text === '' || (text === null && words.length > 0))
      throw new UsageError('announce: give either a text or --end')
    return async ({ moderation }) => {
      await moderation.perform(operator, { type: 'announce', text })
      return { data: { announcement: text }, text: text === null ? 'The announcement has ended.' : 'Announced.' }
    }
  },
}

export const roomCommands = [rulesShow, rulesSet, wordsList, wordsAdd, wordsRemove, wordsTest, audit, announce]
