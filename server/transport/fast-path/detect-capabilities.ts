import type { Report } from '../../observe/events.ts'
import { type Capabilities, detectInternals } from './library-internals.ts'

/** Detects which fast paths the installed libraries support, and reports missing internals. `hidden` is for tests. */
export function detectCapabilities(hidden: readonly string[], report: Report): Capabilities {
  const { missing, capabilities } = detectInternals(hidden)
  if (missing.length > 0) report({ type: 'fast-path-disabled', missing })
  return capabilities
}
