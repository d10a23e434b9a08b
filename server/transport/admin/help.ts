import type { AdminCommand } from './command.ts'
import { adminCommands } from './commands.ts'
import { findCommand, synopsisOf } from './parse-command.ts'

const usage = `usage: npm run admin -- COMMAND [--json]

Commands (COMMAND --help explains one):
`
const exitCodes = `
--json prints one JSON document. Exit codes: 0 success, 1 failure, 2 wrong arguments.`

/**
 * Returns the help that the arguments request, or `null` if they request none. Without arguments, returns the list of
 * commands.
 */
export function helpFor(argv: readonly string[]): string | null {
  if (argv.length > 0 && !argv.includes('--help')) return null
  const command = findCommand(argv)
  if (command !== null) return helpOf(command)
  const [group] = argv
  const ofGroup = adminCommands.filter(({ name }) => name.split(' ')[0] === group)
  return listOf(ofGroup.length > 0 ? ofGroup : adminCommands)
}

const listOf = (commands: readonly AdminCommand[]) =>
  `${usage}${commands.map((command) => `  ${synopsisOf(command)}`).join('\n')}\n${exitCodes}`

function helpOf(command: AdminCommand): string {
  const options = Object.entries(command.options).map(
    ([name, { value, help }]) => `  --${name}${value === undefined ? '' : ` ${value}`}: ${help}`,
  )
  return [`usage: npm run admin -- ${synopsisOf(command)} [--json]`, '', command.help, ...options].join('\n')
}
