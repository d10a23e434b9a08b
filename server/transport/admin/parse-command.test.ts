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
  [['frobnicate', 'x', 'y'], "unknown command 'frobnicate x'"],
])('MODERATION-25 the arguments %j are rejected with a message that names the problem', (argv, message) => {
  expect(() => parseCommand(argv, null)).toThrow(UsageError)
  expect(() => parseCommand(argv, null)).toThrow(message)
})

test('MODERATION-25 options may come in any place, and -- ends them', () => {
  expect(parseCommand(['users', 'list', '--json', '--last=5'], null)).toMatchObject({ isJson: true })
  expect(parseCommand(['users', 'delete', '--', '--json'], null)).toMatchObject({ isJson: false })
})

test('MODERATION-25 every command has a help, and the list of commands names every command', () => {
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
