import type { AdminCommand } from './command.ts'
import { textTable } from './text-table.ts'

export const statsCommand: AdminCommand = {
  name: 'stats',
  words: [],
  options: {},
  help: 'Shows statistics of the server. On a cluster, connections and uptime are those of one node.',
  prepare() {
    return async ({ accounts, moderation, statistics }) => {
      const { messages, ...node } = statistics()
      const { oldest, head } = messages
      const stored = head - oldest + 1
      const data = {
        ...node,
        users: await accounts.count(),
        moderators: moderation.moderators().length,
        restrictions: moderation.restrictions().length,
        messages: { stored, oldest, head },
      }
      const rows = [
        ['version', data.version],
        ['uptime in seconds', String(data.uptimeSeconds)],
        ['connections', String(data.connections)],
        ['users', String(data.users)],
        ['moderators', String(data.moderators)],
        ['mutes and bans', String(data.restrictions)],
        ['stored messages', String(stored)],
        ['newest message', String(head)],
      ]
      return { data, text: textTable(['figure', 'value'], rows) }
    }
  },
}
