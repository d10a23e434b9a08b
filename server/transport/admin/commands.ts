import type { AdminCommand } from './command.ts'
import { messageCommands } from './message-commands.ts'
import { moderatorCommands } from './moderator-commands.ts'
import { privacyCommands } from './privacy-commands.ts'
import { restrictionCommands } from './restriction-commands.ts'
import { roomCommands } from './room-commands.ts'
import { statsCommand } from './stats-command.ts'
import { userCommands } from './user-commands.ts'

/** All commands of `npm run admin`. Parser, help and documents use this list. */
export const adminCommands: readonly AdminCommand[] = [
  ...messageCommands,
  ...restrictionCommands,
  ...roomCommands,
  ...moderatorCommands,
  ...userCommands,
  ...privacyCommands,
  statsCommand,
]
