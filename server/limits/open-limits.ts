import type { ModuleContext } from '../observe/module-context.ts'
import { createAdmission } from './admission.ts'
import { watchPressure } from './event-loop-pressure.ts'
import { createRaidGuard } from './raid-guard.ts'
import { createSendRateLimit } from './send-rate.ts'

/** Creates the watch of the event loop, which requests and connections share, and the limits of connections and messages. */
export function openLimits({ settings, report, resources }: ModuleContext) {
  const pressure = watchPressure(report)
  resources.defer(pressure.stop)
  const { messagesPerSecond: perConnection, messagesPerSecondPerIp: perAddress } = settings
  return {
    pressure,
    sendRate: createSendRateLimit({ perConnection, perAddress }, createRaidGuard(report)),
    admission: createAdmission(settings),
  }
}

export type Limits = ReturnType<typeof openLimits>
