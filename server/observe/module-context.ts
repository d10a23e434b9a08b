import type { Settings } from '../config/settings.ts'
import type { Report } from './events.ts'
import type { MetricsRecorder } from './metrics-recorder.ts'

/** Dependencies that the composition root passes to every module. */
export interface ModuleContext {
  settings: Settings
  report: Report
  metrics: MetricsRecorder
  /** Stack on which each module registers its cleanup. The server runs the cleanups in reverse order of construction. */
  resources: AsyncDisposableStack
}
