import { expect, test } from 'vitest'
import { UsageError } from './command.ts'
import { adminCommands } from './commands.ts'
import { helpFor } from './help.ts'
import { parseCommand } from './parse-command.ts'

test.each([
  [['users', 'list', '--search'], "Option '--search <value>' argument missing"],
  [['users', 'list', '--serch', 'x'], "Unknown option '--serch'"],
  [['users', 'list', '--last', '0'], "--last: '0' is not a whole number from 1"],
  [['users', 'list', '--last', '1e3'], "--last: '1e3' is not"],
  [['users', 'list', 'bob'], "'bob' is one argument too many"],
  [['users', 'delete'], 'users delete needs NAME: users delete NAME'],
  [['users', 'rename', 'bob'], 'users rename needs NEW_NAME'],
  [['users'], "unknown command 'users'"],
  [['mute'], 'mute: give exactly one of --sender-of, --user and --network'],
  [['ban', '--user', 'bob', '--sender-of', '1'], 'ban: give exactly one of'],
  [['ban', '--sender-of', '0'], "--sender-of: '0' is not a whole number from 1"],
  [['mute', '--user', 'bob', '--minutes', '525601'], "--minutes: '525601' is not a whole number"],
  [['mute', '--user', 'bob', '--reason', 'x'.repeat(201)], '--reason: longer than 200 characters'],
  [['unmute'], 'unmute needs ID'],
  [['messages', 'remove'], 'give either seqs or --sender-of'],
  [['messages', 'remove', '1', '--sender-of', '2'], 'give either seqs or --sender-of'],
  [['messages', 'remove', '5', '--loopback'], '--loopback needs --sender-of'],
  [['messages', 'remove', '1', 'two'], "SEQ: 'two' is not a whole number"],
  [['rules', 'set'], 'rules set needs RULE=VALUE…'],
  [['rules', 'set', 'slow-mode=-1'], "slow-mode: '-1' is not a whole number from 0 to 3600"],
  [['rules', 'set', 'links=maybe'], "links: 'maybe' is neither on nor off"],
  [['rules', 'set', 'toString=on'], "'toString' is not a rule; use one of slow-mode"],
  [['words', 'test'], 'words test needs TEXT…'],
  [['announce'], 'announce: give either a text or --end'],
  [['announce', 'x', '--end'], 'announce: give either a text or --end'],
  [['audit', '--last', '99999'], "--last: '99999' is not"],
  [['frobnicate', 'x', 'y'], "unknown command 'frobnicate x'"],
])('MODERATION-25 the arguments %j are rejected with a message that names the problem', (argv, message) => {
  expect(() => parseCommand(argv, null)).toThrow(UsageError)
  expect(() => parseCommand(argv, null)).toThrow(message)
})

test('MODERATION-25 options are accepted in any position, and -- ends them', () => {
  expect(parseCommand(['users', 'list', '--json', '--last=5'], null)).toMatchObject({ isJson: true })
  expect(parseCommand(['users', 'delete', '--', '--json'], null)).toMatchObject({ isJson: false })
})

test('MODERATION-25 every command has a help text, and the list of commands names every command', () => {
  const list = helpFor([]) ?? ''
  for (const { name, help, options } of adminCommands) {
    const shown = helpFor([...name.split(' '), '--help']) ?? ''
    expect(shown).toContain(`usage: npm run admin -- ${name}`)
    expect(shown).toContain(help)
    for (const option of Object.keys(options)) expect(shown).toContain(`--${option}`)
    expect(list).toContain(`  ${name}`)
  }
  expect(helpFor(['users', '--help'])).not.toContain('stats')
  expect(helpFor(['stats'])).toBeNull()
})
