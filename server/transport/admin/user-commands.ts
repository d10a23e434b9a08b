import { normalizeName } from '../../../contract/names.ts'
import { type AdminCommand, numberOption, operator, textOption } from './command.ts'
import { countText, tableOr, timeText } from './text-table.ts'
import { escapeControls } from '../../observe/untrusted-text.ts'

const defaultUsers = 100
const maxUsers = 10_000

const usersList: AdminCommand = {
  name: 'users list',
  words: [],
  options: {
    search: { value: 'TEXT', help: 'only users whose name or e-mail address contains this text' },
    after: { value: 'N', help: 'continue after this position of the list; 0 by default' },
    last: { value: 'N', help: `at most this many users; ${defaultUsers} by default` },
  },
  help: 'Lists accounts in the order of registration.',
  prepare(given) {
    const search = textOption(given, 'search')
    const after = numberOption(given, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0
    const count = numberOption(given, 'last', { min: 1, max: maxUsers }) ?? defaultUsers
    return async ({ accounts }) => {
      const rows = await accounts.list(search, after, count)
      const users = rows.map(({ order, user: { _id, name, email } }) => ({ position: order, id: _id, name, email }))
      const cells = users.map(({ position, name, email, id }) => [String(position), name, email, id])
      return { data: { users }, text: tableOr('No users found.', ['position', 'name', 'e-mail', 'id'], cells) }
    }
  },
}

const usersDelete: AdminCommand = {
  name: 'users delete',
  words: ['NAME'],
  options: {},
  help: 'Deletes an account, ends its sessions and connections, and reserves its name for 30 days. Its messages stay.',
  prepare({ words: [name = ''] }) {
    return async ({ accounts, moderation }) => {
      const account = await accounts.find(name)
      await moderation.recordAction(operator, { action: 'users delete', target: account })
      // Withdraw the role first, so that the audit has an entry for it.
      if (moderation.isModerator(account.id)) await moderation.perform(operator, { type: 'remove-moderator', account })
      await accounts.remove(account)
      return { data: { deleted: account }, text: `Deleted the account ${escapeControls(account.name)}.` }
    }
  },
}

const usersRename: AdminCommand = {
  name: 'users rename',
  words: ['NAME', 'NEW_NAME'],
  options: {},
  help: 'Renames an account and ends its sessions. The user logs in under the new name; other users cannot take the old name for 30 days.',
  prepare({ words: [oldName = '', newName = ''] }) {
    return async ({ accounts, moderation }) => {
      const account = await accounts.find(oldName)
      // The target of the audit entry is the old name. The reason is the new name.
      const entry = { action: 'users rename', target: account, reason: normalizeName(newName) } as const
      const name = await accounts.rename(account, newName, () => moderation.recordAction(operator, entry))
      const renamed = { id: account.id, name }
      const text = `Renamed ${escapeControls(account.name)} to ${escapeControls(renamed.name)}.`
      return { data: { renamed, oldName: account.name }, text }
    }
  },
}

const usersResetPassword: AdminCommand = {
  name: 'users reset-password',
  words: ['NAME'],
  options: {},
  help: 'Sets a new password and ends all sessions. Reads the password from standard input, up to the end of the line; without input, prints a generated one.',
  readsInput: true,
  prepare({ words: [name = ''], input }) {
    const [given = ''] = (input ?? '').split(/\r?\n/, 1)
    return async ({ accounts, moderation }) => {
      const account = await accounts.find(name)
      const generated = await accounts.resetPassword(account, given === '' ? null : given, () =>
        moderation.recordAction(operator, { action: 'users reset-password', target: account }),
      )
      const done = `Changed the password of ${escapeControls(account.name)}.`
      if (generated === null) return { data: { account }, text: done }
      return { data: { account, password: generated }, text: `${done} The new password is:\n${generated}` }
    }
  },
}

const sessionsList: AdminCommand = {
  name: 'sessions list',
  words: ['NAME'],
  options: {},
  help: 'Lists the sessions of an account in the order in which they expire. A session begins with a login or registration.',
  prepare({ words: [name = ''] }) {
    return async ({ accounts }) => {
      const account = await accounts.find(name)
      const sessions = await accounts.listSessions(account)
      const rows = sessions.map(({ expiresAtMs }, index) => [String(index + 1), timeText(expiresAtMs)])
      return { data: { account, sessions }, text: tableOr('No sessions.', ['session', 'ends'], rows) }
    }
  },
}

const sessionsRevoke: AdminCommand = {
  name: 'sessions revoke',
  words: ['NAME'],
  options: {},
  help: 'Ends all sessions of an account and closes their connections on every node.',
  prepare({ words: [name = ''] }) {
    return async ({ accounts, moderation }) => {
      const account = await accounts.find(name)
      await moderation.recordAction(operator, { action: 'sessions revoke', target: account })
      const revoked = await accounts.revokeSessions(account)
      return {
        data: { account, revoked },
        text: `Ended ${countText(revoked, 'session')} of ${escapeControls(account.name)}.`,
      }
    }
  },
}

export const userCommands = [usersList, usersDelete, usersRename, usersResetPassword, sessionsList, sessionsRevoke]
