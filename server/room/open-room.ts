import type { FaultPoint } from '../base/fault-point.ts'
import { retentionOf } from '../config/settings.ts'
import { createByteBudget } from '../limits/byte-budget.ts'
import type { ModuleContext } from '../observe/module-context.ts'
import { createAudience } from './deliver/audience.ts'
import { defaultSlicing } from './deliver/slicing.ts'
import type { Delivery, Subscriber } from './deliver/subscriber.ts'
import type { MessageLog } from './message-log.ts'
import { createPresence } from './presence/presence.ts'
import type { Roster, RosterListener } from './presence/roster.ts'
import type { PresenceDelivery, PresenceWatcher } from './presence/watcher.ts'
import { createRoom } from './send/room.ts'

interface RoomModuleDeps<C extends Subscriber & PresenceWatcher> {
  messageLog: MessageLog
  openRoster: (listener: RosterListener) => Roster
  delivery: Delivery<C> & PresenceDelivery<C>
  /** Runs the callback that acknowledges a whole batch. */
  batchAcks: (acknowledgeAll: () => void) => void
  faultPoint: FaultPoint
}

/** Opens sending, delivery and presence of the room. */
export function openRoom<C extends Subscriber & PresenceWatcher>(
  { settings, report, metrics, resources }: ModuleContext,
  { messageLog, openRoster, delivery, batchAcks, faultPoint }: RoomModuleDeps<C>,
) {
  const { maxAgeMs } = retentionOf(settings)
  const replayBudget = createByteBudget(settings.maxConnectionsPerIp)
  const audience = createAudience(messageLog, delivery, { maxAgeMs, report, slicing: defaultSlicing, replayBudget })
  const { fanOutDone, subscriberCount } = audience
  const room = createRoom(messageLog, { report, batchAcks, fanOutDone, subscriberCount, faultPoint })
  resources.defer(() => room.close())
  metrics.watch({ checkStorage: room.isWritable })
  const presence = createPresence(delivery, defaultSlicing)
  resources.defer(() => presence.stop())
  const roster = openRoster(presence)
  resources.defer(() => roster.close())
  return { room, audience, presence, roster }
}
