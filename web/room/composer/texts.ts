import { anonymousLabel } from '../../../contract/anonymous-label.ts'
import { initialAnonymousName } from '../../../contract/constants.ts'
import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import type { IdentityNotice } from '../../connection/messaging.ts'
import { maxOutboxMessages } from '../../connection/send/sender.ts'

const format = (count: number) => count.toLocaleString('en')
const lengthOf = (count: number, max: number) => `${format(count)} of ${format(max)} characters`
const withOthers = (text: string, others: number) => (others > 0 ? `${text}, and ${others} more` : text)

const send = 'Send'

/**
 * Texts of the composer, except its heading, its identity line, the labels of its fields, and the choice of the author.
 */
export const texts = {
  send,
  outbox: 'Not sent yet',
  sending: 'Sending…',
  queued: 'Waiting',
  noConnection: 'Waiting for the connection',
  retry: (seconds: number) => `Trying again in ${seconds} s`,
  held: 'Not sent',
  heldMaybeStored: 'Interrupted: it may have arrived',
  heldInField: `Not sent. Press ${send} to send it now.`,
  /** Returns the name that the page shows for the user as an author. `account` is `null` for an anonymous user. */
  author(account: string | null, anonymousName: string) {
    if (account !== null) return account
    const name = anonymousName.trim()
    return name === '' || name === initialAnonymousName ? initialAnonymousName : anonymousLabel(name)
  },
  writtenAs: (account: string) => `Written as ${account}`,
  sendAs: (account: string) => `${send} as ${account}`,
  queueFull: `${maxOutboxMessages} messages are waiting. Wait until some are sent.`,
  takeBack: 'Take back',
  edit: 'Edit',
  dismiss: 'Dismiss',
  dismissed: 'Dismissed',
  undo: 'Undo',
  tooLong: (count: number) => `Too long: ${lengthOf(count, maxMessageCharacters)}`,
  cutOff: (count: number) => `Too long: ${lengthOf(count, maxMessageCharacters)}. The rest was cut off.`,
  onlyText: 'Only text can be sent',
  nameTooLong: (count: number) => `Name too long: ${lengthOf(count, maxNameCharacters)}`,
  charactersLeft: (left: number) => `${left} ${left === 1 ? 'character' : 'characters'} left`,
  identity: {
    token_rejected: 'Your login is no longer valid. You are anonymous again.',
  } satisfies Record<IdentityNotice, string>,
  announce: {
    waiting: (text: string, others: number) => `Not sent yet: ${withOthers(text, others)}`,
    notSent: (text: string, others: number, reason: string) =>
      `Not sent: ${withOthers(text, others)}${reason === '' ? '' : `. ${reason}`}`,
    noneWaiting: 'No messages are waiting.',
  },
}
