import type { FleetCalls } from '../driver/fleet-protocol.ts'
import { startDriver } from './driver-process.ts'

/** Starts a fleet of raw connections. */
export async function startFleet(setup: FleetCalls['setup']['order']) {
  const { call, stop } = startDriver<FleetCalls>('fleet.ts')
  await call('setup', setup)
  return {
    call,
    stop: async () => {
      await call('keep', { count: 0 })
      await stop()
    },
  }
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>
