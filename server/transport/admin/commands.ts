import type { AdminCommand } from './command.ts'
import { statsCommand } from './stats-command.ts'
import { userCommands } from './user-commands.ts'

/** All commands of `npm run admin`. Parser, help and documents use this list. */
export const adminCommands: readonly AdminCommand[] = [...userCommands, statsCommand]
