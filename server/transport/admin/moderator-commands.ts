import { escapeControls } from '../../observe/untrusted-text.ts'
import { type AdminCommand, operator } from './command.ts'
import { tableOr } from './text-table.ts'

const moderatorsList: AdminCommand = {
  name: 'moderators list',
  words: [],
  options: {},
  help: 'Lists the moderators.',
  prepare() {
    return async ({ moderation }) => {
      const moderators = moderation.moderators()
      const rows = moderators.map(({ name, id }) => [name, id])
      return { data: { moderators }, text: tableOr('No moderators.', ['name', 'id'], rows) }
    }
  },
}

const change = (type: 'add-moderator' | 'remove-moderator', name: string, help: string): AdminCommand => ({
  name,
  words: ['NAME'],
  options: {},
  help,
  prepare({ words: [user = ''] }) {
    return async ({ accounts, moderation }) => {
      const account = await accounts.find(user)
      await moderation.perform(operator, { type, account })
      const isNow = type === 'add-moderator' ? 'is a moderator' : 'is no longer a moderator'
      return { data: { account }, text: `${escapeControls(account.name)} ${isNow}.` }
    }
  },
})

export const moderatorCommands = [
  moderatorsList,
  change(
    'add-moderator',
    'moderators add',
    'Makes an account a moderator. Open pages show the role within two seconds.',
  ),
  change('remove-moderator', 'moderators remove', 'Withdraws the role of a moderator at once.'),
]
