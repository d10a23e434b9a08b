import type { AuditEntry } from '../../../contract/moderation.ts'
import type { Account } from '../../accounts/account-store.ts'
import { shownActor } from '../../moderation/descriptions.ts'
import { erasedName } from '../../moderation/moderation-store.ts'
import { escapeControls } from '../../observe/untrusted-text.ts'
import { type AdminCommand, type AdminContext, operator } from './command.ts'
import { renameAction } from './user-commands.ts'

/** Maximum number of audit entries that one command reads. */
const maxAuditEntries = 100_000

/** Returns the names that the account has and had, by the renames in the audit. */
function namesOf({ name }: Account, newestFirst: readonly AuditEntry[]): string[] {
  const names = [name]
  for (const { action, target, reason } of newestFirst) {
    if (action === renameAction && reason !== null && names.includes(reason)) names.push(target)
  }
  return names
}

/** Returns the messages of an account that the log still holds. Reads them one by one: there may be few among many. */
async function messagesOf(log: AdminContext['log'], { id }: Account) {
  const messages = []
  for (const seq of await log.seqsOfSender({ accountId: id, network: '' })) {
    const { epoch } = log.bounds()
    const [stored] = (await log.readAfter({ epoch, seq: seq - 1 }, { maxMessages: 1, maxCharacters: 1 })) ?? []
    if (stored?.seq === seq) messages.push({ seq, ...stored.message })
  }
  return messages
}

const usersExport: AdminCommand = {
  name: 'users export',
  words: ['NAME'],
  options: {},
  help: 'Prints all that is stored about an account, as JSON: the account, its sessions, messages, restrictions and audit entries.',
  prepare({ words: [name = ''] }) {
    return async ({ accounts, moderation, log }) => {
      const account = await accounts.find(name)
      const { user, sessions } = await accounts.describe(account)
      const audit = await moderation.audit(maxAuditEntries)
      const names = namesOf(account, audit)
      const data = {
        account: { id: user._id, name: user.name, email: user.email },
        isModerator: moderation.isModerator(account.id),
        sessions,
        messages: await messagesOf(log, account),
        restrictions: moderation.restrictions().filter(({ target }) => names.includes(target)),
        audit: audit.filter(({ actor, target }) => names.map(shownActor).includes(actor) || names.includes(target)),
      }
      return { data, text: JSON.stringify(data, null, 2) }
    }
  },
}

const usersErase: AdminCommand = {
  name: 'users erase',
  words: ['NAME'],
  options: {},
  help: 'Deletes an account, the texts of its messages, its sessions, and its names in the audit with the reasons of actions on it. The name above each message stays until the retention deletes the message.',
  prepare({ words: [name = ''] }) {
    return async ({ accounts, moderation, log }) => {
      const account = await accounts.find(name)
      // Without sessions, the account sends nothing more. It is deleted last, so that a failed command can be repeated.
      await accounts.revokeSessions(account)
      const head = await log.fetchHead()
      if (head !== null) await log.catchUp(head)
      const seqs = await log.seqsOfSender({ accountId: account.id, network: '' })
      const { removed = 0 } = seqs.length === 0 ? {} : await moderation.perform(operator, { type: 'remove', seqs })
      if (moderation.isModerator(account.id)) await moderation.perform(operator, { type: 'remove-moderator', account })
      for (const known of namesOf(account, await moderation.audit(maxAuditEntries))) await moderation.eraseName(known)
      await accounts.remove(account)
      // Remove the messages that were still queued when the sessions ended.
      const later = await log.seqsOfSender({ accountId: account.id, network: '' })
      const { removed: removedLater = 0 } =
        later.length === 0 ? {} : await moderation.perform(operator, { type: 'remove', seqs: later })
      await moderation.recordAction(operator, { action: 'users erase', target: erasedName })
      const removedCount = removed + removedLater
      const text = `Erased ${escapeControls(account.name)} and ${removedCount} messages. Backups are not changed.`
      return { data: { erased: account, removed: removedCount }, text }
    }
  },
}

export const privacyCommands = [usersExport, usersErase]
