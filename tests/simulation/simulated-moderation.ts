import { setTimeout as sleep } from 'node:timers/promises'
import { createSessions, type Session, type Sessions } from '../../server/accounts/sessions/sessions.ts'
import { RejectionError } from '../../server/base/rejection-error.ts'
import { StorageError } from '../../server/base/storage-error.ts'
import type { ClusterBus } from '../../server/bus/cluster-bus.ts'
import { type MessageCheck, type Moderation, openModeration } from '../../server/moderation/open-moderation.ts'
import type { LogEntry, MessageLog, MessageSender } from '../../server/room/message-log.ts'
import type { FakeDatabase } from './fake-database.ts'
import type { Owner } from './virtual-time.ts'

const retryMs = 500

/** Identity of the client of a connection. `session` is `null` for an anonymous client. */
export interface Identity {
  network: string
  session: Session | null
}

export interface SimulatedModeration {
  moderation: Moderation
  sessions: Sessions
}

interface Options {
  database: FakeDatabase
  log: MessageLog
  bus: ClusterBus
  owner: Owner
}

/** Opens the real moderation and sessions of a process on the simulated database. Retries after a storage error. */
export async function openSimulatedModeration({ database, log, bus, owner }: Options): Promise<SimulatedModeration> {
  const { moderation: store, tokens } = database.open(owner)
  const context = { report: () => undefined, resources: new AsyncDisposableStack() }
  for (;;) {
    try {
      const moderation = await openModeration(context, { store, log, bus })
      return { moderation, sessions: createSessions(tokens, bus) }
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      await sleep(retryMs)
    }
  }
}

export const senderOf = ({ network, session }: Identity): MessageSender => ({
  accountId: session?.account.id ?? null,
  network,
})

export interface Check {
  slot: MessageCheck['slot']
  problem: RejectionError<'not_allowed' | 'rate_limited'> | null
}

/** Returns the reason why a message is rejected, or the slow mode slot that it takes. */
export function checkMessage({ moderation }: SimulatedModeration, entry: LogEntry): Check {
  try {
    return moderation.checkMessage(entry, entry.sender.network)
  } catch (error) {
    if (!(error instanceof RejectionError)) throw error
    return { slot: null, problem: error as RejectionError<'rate_limited'> }
  }
}
