import { parseArgs } from 'node:util'
import { type AdminCommand, type CommandArguments, UsageError } from './command.ts'
import { adminCommands } from './commands.ts'

export interface ParsedCommand {
  command: AdminCommand
  run: ReturnType<AdminCommand['prepare']>
  /** Whether to print JSON instead of text. */
  isJson: boolean
}

/** Returns the command of these arguments, ready to run. Throws a `UsageError` if the arguments are invalid. */
export function parseCommand(argv: readonly string[], input: string | null): ParsedCommand {
  const command = findCommand(argv)
  if (command === null) throw new UsageError(`unknown command '${argv.slice(0, 2).join(' ')}'; see --help`)
  const args = argv.slice(command.name.split(' ').length)
  const { values, positionals: words } = parse(command, args)
  const { json, help: _, ...options } = values as CommandArguments['options']
  checkWords(command, words)
  return { command, run: command.prepare({ words, options, input }), isJson: json === true }
}

/** Returns the command whose name the arguments begin with. */
export function findCommand(argv: readonly string[]): AdminCommand | null {
  return adminCommands.find(({ name }) => name.split(' ').every((word, index) => argv[index] === word)) ?? null
}

export const synopsisOf = ({ name, words, options }: AdminCommand) =>
  [name, ...words, ...Object.entries(options).map(([key, { value }]) => `[--${key}${value ? ` ${value}` : ''}]`)].join(
    ' ',
  )

function parse({ name, options }: AdminCommand, args: readonly string[]) {
  const known = Object.entries(options).map(([key, { value }]) => [
    key,
    { type: value === undefined ? ('boolean' as const) : ('string' as const) },
  ])
  try {
    return parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(known), json: { type: 'boolean' }, help: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`)
  }
}

function checkWords(command: AdminCommand, words: readonly string[]): void {
  const required = command.words.filter((word) => !word.startsWith('['))
  const isRepeatable = command.words.some((word) => word.includes('…'))
  if (words.length < required.length)
    throw new UsageError(`${command.name} needs ${required.slice(words.length).join(' and ')}: ${synopsisOf(command)}`)
  if (words.length > command.words.length && !isRepeatable)
    throw new UsageError(
      `${command.name}: '${words[command.words.length]}' is one argument too many: ${synopsisOf(command)}`,
    )
}
