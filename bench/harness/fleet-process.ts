import type { FleetCalls } from '../driver/fleet-protocol.ts'
import { startDriver } from './driver-process.ts'

/** Starts a process that holds raw connections to the server under test. */
export async function startFleet(setup: FleetCalls['setup']['request']) {
  const { call, stop } = startDriver<FleetCalls>('fleet.ts')
  await call('setup', setup)
  return {
    call,
    stop: async () => {
      await call('shrink', { count: 0 })
      await stop()
    },
  }
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>
