import type { Session } from '../../accounts/sessions/sessions.ts'
import type { MessageSender } from '../../room/message-log.ts'
import { networksOf } from '../../limits/addresses.ts'

interface Anonymous {
  readonly kind: 'anonymous'
}

interface AccountIdentity {
  readonly kind: 'account'
  readonly accountId: string
  readonly name: string
  /**
   * Hash of the session token. The server closes the connection when the cluster bus reports that the token is revoked.
   */
  readonly tokenHash: string
}

/** Identity of a connection: an account or an anonymous client. */
export type Identity = Anonymous | AccountIdentity

export function identityOf(session: Session | null): Identity {
  if (session === null) return { kind: 'anonymous' }
  const { account, tokenHash } = session
  return { kind: 'account', accountId: account.id, name: account.name, tokenHash }
}

/** Returns what the log stores about the sender of a message. */
export function senderOf(identity: Identity, address: string): MessageSender {
  return {
    accountId: identity.kind === 'account' ? identity.accountId : null,
    network: networksOf(address).address,
  }
}
