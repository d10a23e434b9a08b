import type { Session } from '../../accounts/sessions/sessions.ts'
import type { MessageSender } from '../../room/message-log.ts'
import { networksOf, widestNetwork } from '../../limits/addresses.ts'

interface Anonymous {
  readonly kind: 'anonymous'
  readonly network: string
}

interface AccountIdentity {
  readonly kind: 'account'
  readonly accountId: string
  readonly name: string
  /** Hash of the session token. When the cluster bus revokes it, the connection is closed. */
  readonly tokenHash: string
  readonly network: string
}

/** Identity of a connection: an account or an anonymous client, and the widest network of its address. */
export type Identity = Anonymous | AccountIdentity

export function identityOf(session: Session | null, address: string): Identity {
  const network = widestNetwork(networksOf(address))
  if (session === null) return { kind: 'anonymous', network }
  const { account, tokenHash } = session
  return { kind: 'account', accountId: account.id, name: account.name, tokenHash, network }
}

/** Returns what the log stores about the sender of a message. */
export function senderOf(identity: Identity, address: string): MessageSender {
  return {
    accountId: identity.kind === 'account' ? identity.accountId : null,
    network: networksOf(address).address,
  }
}
