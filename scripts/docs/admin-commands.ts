import { adminCommands } from '../../server/transport/admin/commands.ts'
import { synopsisOf } from '../../server/transport/admin/parse-command.ts'
import { code, table } from './tables.ts'

/** Returns the table of the commands of `npm run admin`. */
export function adminCommandsTable(): string {
  return table(
    ['command', 'effect'],
    adminCommands.map((command) => [code(synopsisOf(command)), command.help]),
  )
}
