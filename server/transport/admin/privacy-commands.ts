import type { Account } from '../../accounts/account-store.ts'
import { erasedName } from '../../moderation/moderation-store.ts'
import { escapeControls } from '../../observe/untrusted-text.ts'
import { type AdminCommand, type AdminContext, operator, seqOption } from './command.ts'
import { countText } from './text-table.ts'

/** Maximum number of audit entries in an export. */
const maxAuditEntries = 100_000

/** Number of characters of texts after which an export ends, which bounds the memory. */
const maxExportedCharacters = 4_000_000

/**
 * Returns the stored messages of an account after `after`, as many as one export may contain. Reads the messages one by
 * one, because only a few of the messages in the log may be from the account. `next` is the seq of the last returned
 * message if further ones follow.
 */
async function messagesOf(log: AdminContext['log'], { id }: Account, after: number) {
  const messages = []
  let characters = 0
  const seqs = (await log.seqsOfSender({ accountId: id, network: null })).filter((seq) => seq > after)
  for (const seq of seqs) {
    const [stored] = await log.listForOperator(1, seq + 1)
    if (stored?.seq !== seq) continue
    const { message, sender, ...rest } = stored
    messages.push({ ...rest, ...message, network: sender?.network ?? null })
    characters += message.message.length
    if (characters >= maxExportedCharacters && seq !== seqs.at(-1)) return { messages, next: seq }
  }
  return { messages }
}

const usersExport: AdminCommand = {
  name: 'users export',
  words: ['NAME'],
  options: {
    after: { value: 'SEQ', help: 'only messages after this one; use the value of next in an earlier export' },
  },
  help: 'Prints an account, its sessions, networks, messages, restrictions and audit entries, as JSON. If the output has next, repeat the command with --after and that value for further messages.',
  prepare(given) {
    const [name = ''] = given.words
    const after = seqOption(given, 'after') ?? 0
    return async ({ accounts, moderation, log }) => {
      const account = await accounts.find(name)
      const data = {
        account: await accounts.export(account),
        isModerator: moderation.isModerator(account.id),
        sessions: await accounts.listSessions(account),
        networks: await moderation.networksOf(account.id),
        ...(await messagesOf(log, account, after)),
        restrictions: moderation.restrictions(account.id),
        audit: await moderation.audit(maxAuditEntries, account.id),
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
      // First set an unknown password, which ends the sessions, so that the account sends nothing more. Delete the account
      // last, so that a command that fails can be repeated.
      await accounts.resetPassword(account, null, () =>
        moderation.recordAction(operator, { action: 'users erase', target: { id: null, name: erasedName } }),
      )
      const head = await log.fetchHead()
      if (head !== null) await log.catchUp(head)
      const seqs = await log.seqsOfSender({ accountId: account.id, network: null })
      const { removed = 0 } = seqs.length === 0 ? {} : await moderation.perform(operator, { type: 'remove', seqs })
      if (moderation.isModerator(account.id)) await moderation.perform(operator, { type: 'remove-moderator', account })
      await moderation.eraseNames(account.id)
      // Remove the messages that were still queued when the sessions ended.
      const later = await log.seqsOfSender({ accountId: account.id, network: null })
      const { removed: removedLater = 0 } =
        later.length === 0 ? {} : await moderation.perform(operator, { type: 'remove', seqs: later })
      await accounts.remove(account)
      const removedCount = removed + removedLater
      const text = `Erased ${escapeControls(account.name)} and the texts of ${countText(removedCount, 'message')}. The sender's name of each message stays until the message expires. Backups are not changed.`
      return { data: { erased: account, removed: removedCount }, text }
    }
  },
}

export const privacyCommands = [usersExport, usersErase]
